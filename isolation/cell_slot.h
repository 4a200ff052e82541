#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "base/result.h"
#include "isolation/cell_cgroup.h"
#include "isolation/cell_provider.h"
#include "isolation/guarded_workspace.h"
#include "isolation/launcher.h"
#include "isolation/scratch.h"
#include "isolation/slot_user.h"

namespace instar::isolation {

/// The way to the launcher of one slot. Outlives it: workspaces use it too.
struct LauncherLine {
  std::mutex busy;  ///< held while a cell runs or a workspace is made
  int socket = -1;  ///< -1: the launcher has ended
};

/// One launcher with its users and its directory. Its end is the end of everything in it.
class CellSlot {
 public:
  static Result<std::unique_ptr<CellSlot>> make(const Scratch& scratch, SlotUser user,
                                                SlotUser keeper, const ProviderOptions& options);
  CellSlot(const CellSlot&) = delete;
  CellSlot& operator=(const CellSlot&) = delete;
  ~CellSlot();

  [[nodiscard]] const std::shared_ptr<SlotHome>& home() const { return home_; }
  [[nodiscard]] const std::shared_ptr<LauncherLine>& line() const { return line_; }
  /// Whom the files belong to that cells may read and not change; 0: nobody.
  [[nodiscard]] uid_t keeper() const { return keeper_.user; }

  /// The kernel's account of its cells; null where there is none.
  [[nodiscard]] CellGroup* group() const { return group_.get(); }

  /// For the time of one cell. kInternal: one runs already, or its workspace is not of this slot
  /// (`own`: whether it is).
  Result<std::unique_lock<std::mutex>> occupy(bool own) const;

  /// The slot is of no use any more: whoever could make a launcher fail gets no second cell in it.
  void give_up();

 private:
  struct Parts {
    SlotUser user;
    SlotUser keeper;
    std::unique_ptr<CellGroup> group;
    std::shared_ptr<SlotHome> home;
    Launcher launcher;
  };
  CellSlot(Parts parts, std::chrono::milliseconds patience);
  SlotUser user_;
  SlotUser keeper_;
  std::unique_ptr<CellGroup> group_;
  std::shared_ptr<SlotHome> home_;
  Launcher launcher_;
  std::shared_ptr<LauncherLine> line_;
  std::chrono::milliseconds patience_;  ///< with the end of the launcher
};

/// The slots of one provider and where everything of theirs lies.
struct CellSlots {
  Scratch scratch;
  std::vector<std::unique_ptr<CellSlot>> slots;  // end before the scratch directory does

  /// kInternal: there is none with that number.
  Result<CellSlot*> find(unsigned slot) const;
};

/// Prepares this process and starts a launcher for each slot.
Result<CellSlots> make_cell_slots(const ProviderOptions& options);

}  // namespace instar::isolation
