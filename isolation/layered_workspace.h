#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "isolation/cell.h"
#include "isolation/cell_slot.h"

namespace instar::isolation {

/// The bases of one slot: copies that belong to its users, so that a cell can read them, made once.
/// Outlives the workspaces above them.
class SlotBases {
 public:
  /// `keeper`: who owns what no command may change; nobody: then a cell can.
  SlotBases(std::shared_ptr<SlotHome> home, std::optional<Owner> keeper)
      : home_(std::move(home)), keeper_(keeper) {}
  /// The copy of spec.base, as a path below the scratch directory. The same path is the same
  /// files for as long as the provider lives.
  Result<std::string> copy_of(const WorkspaceSpec& spec);

 private:
  std::shared_ptr<SlotHome> home_;
  std::optional<Owner> keeper_;
  std::map<std::filesystem::path, OwnedDirectory> copies_;
};

/// A workspace of layers, which the slot's launcher keeps (LayerStore).
class LayeredWorkspace final : public Workspace {
 public:
  static Result<std::unique_ptr<LayeredWorkspace>> create(const std::shared_ptr<LauncherLine>& line,
                                                          SlotBases& bases,
                                                          const WorkspaceSpec& spec);
  LayeredWorkspace(const LayeredWorkspace&) = delete;
  LayeredWorkspace& operator=(const LayeredWorkspace&) = delete;
  ~LayeredWorkspace() override;

  [[nodiscard]] int directory() const override { return directory_.get(); }
  Result<std::unique_ptr<Workspace>> snapshot(const Limits& limits) override;

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] const LauncherLine* line() const { return line_.get(); }

 private:
  LayeredWorkspace(std::shared_ptr<LauncherLine> line, std::uint64_t id, Fd directory)
      : line_(std::move(line)), id_(id), directory_(std::move(directory)) {}
  std::shared_ptr<LauncherLine> line_;
  std::uint64_t id_;
  Fd directory_;
};

}  // namespace instar::isolation
