#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/random.h"
#include "isolation/cell.h"
#include "isolation/slot_directory.h"

namespace instar::isolation {

/// The directory of one slot, from which workspaces and cells take their own. Outlives them.
struct SlotHome {
  OwnedDirectory directory;
  std::optional<Owner> owner;  ///< as root: the slot's user

  /// A name that no cell can guess: without root, what a command can name it can change the mode
  /// of.
  static std::string fresh_name(const char* prefix) { return prefix + random_hex(12); }
};

/// A private copy of the target for one slot's user. Shut against that user but for the time in
/// which a cell runs in it: all workspaces of a slot belong to the same user, and one cell must not
/// reach what another one is measured by.
class GuardedWorkspace final : public Workspace {
 public:
  /// A copy of `base` with `changes` over it. `base` empty: an empty workspace.
  static Result<std::unique_ptr<GuardedWorkspace>> create(const std::shared_ptr<SlotHome>& home,
                                                          const WorkspaceSpec& spec);

  [[nodiscard]] int directory() const override { return files_.get(); }
  [[nodiscard]] const std::filesystem::path& path() const { return files_path_; }
  Result<std::unique_ptr<Workspace>> snapshot(const Limits& limits) override;

  /// For the time of one cell. Opening and shutting both undo what a command did to the modes of
  /// the directories on the way: its next stage, and whoever reads its files, finds them passable.
  [[nodiscard]] Result<void> set_open(bool open) const;

  [[nodiscard]] const SlotHome* home() const { return home_.get(); }

 private:
  GuardedWorkspace(std::shared_ptr<SlotHome> home, OwnedDirectory directory, Fd files)
      : home_(std::move(home)),
        directory_(std::move(directory)),
        files_path_(directory_.path() / "work"),
        files_(std::move(files)) {}
  static Result<std::unique_ptr<GuardedWorkspace>> create_empty(
      const std::shared_ptr<SlotHome>& home);

  std::shared_ptr<SlotHome> home_;
  OwnedDirectory directory_;
  std::filesystem::path files_path_;
  Fd files_;
};

}  // namespace instar::isolation
