#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "isolation/cell.h"
#include "isolation/slot_directory.h"

namespace instar::isolation {

/// The directory of one slot, from which workspaces and cells take their own. Outlives them.
struct SlotHome {
  OwnedDirectory directory;
  std::optional<Owner> owner;  ///< as root: the slot's user
  unsigned slot = 0;
  std::atomic<std::uint64_t> next_name{0};

  std::string fresh_name(const char* prefix) {
    return prefix + std::to_string(next_name.fetch_add(1, std::memory_order_relaxed));
  }
};

/// A private copy of the target for one slot's user.
class GuardedWorkspace final : public Workspace {
 public:
  /// A copy of `base` with `changes` over it. `base` empty: an empty workspace.
  static Result<std::unique_ptr<GuardedWorkspace>> create(const std::shared_ptr<SlotHome>& home,
                                                          const WorkspaceSpec& spec);

  [[nodiscard]] const std::filesystem::path& host_path() const override { return files_path_; }
  Result<std::unique_ptr<Workspace>> snapshot() override;

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
