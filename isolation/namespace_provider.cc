#include "isolation/namespace_provider.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "isolation/cell_environment.h"
#include "isolation/cell_report.h"
#include "isolation/cell_root.h"
#include "isolation/cell_spec.h"
#include "isolation/landlock.h"
#include "isolation/launcher_call.h"
#include "isolation/layered_workspace.h"
#include "isolation/output_broker.h"

namespace instar::isolation {

namespace {

/// Each entry says what really holds in this cell.
std::map<std::string, std::string> enforced_by(const CellSlot& slot) {
  const SlotHome& home = *slot.home();
  const bool grouped = slot.group() != nullptr;
  const std::string landlock = "landlock abi " + std::to_string(landlock_abi());
  return {{"wall", "watch"},
          {"cpu", "watch"},
          {"cpu_per_process", "rlimit"},
          {"memory", grouped ? "cgroup" : "watch"},
          {"memory_per_process", "rlimit at 125% for private data, watch for the rest"},
          {"processes", grouped ? "cgroup" : "rlimit"},
          {"open_files", "rlimit"},
          {"file_size", "rlimit"},
          {"workspace", "tmpfs"},
          {"inodes", "tmpfs"},
          {"sealed", slot.keeper() != 0 ? "owner " + std::to_string(slot.keeper()) : "none"},
          {"files", "mount namespace, " + landlock},
          {"network", "network namespace, seccomp"},
          {"system_calls", "seccomp"},
          {"signals", "pid namespace, " + landlock},
          {"user", home.owner ? std::to_string(home.owner->user) : "none"}};
}

struct NamespaceRun {
  const CellSpec& spec;
  const LayeredWorkspace& workspace;
  const CellSlot& slot;
  std::chrono::milliseconds patience;
};

Result<CellReport> run_cell(const NamespaceRun& run, std::stop_token stop) {
  INSTAR_CHECK(check_spec(run.spec));
  auto environment = INSTAR_TRY(build_environment({.work = cell_path::kWork,
                                                   .home = cell_path::kHome,
                                                   .temp = cell_path::kTemp,
                                                   .out = cell_path::kOut},
                                                  run.spec.env));
  CellRequest request{.limits = run.spec.limits,
                      .workspace_read_only = run.spec.access == WorkspaceAccess::kReadOnly,
                      .workspace = LayerStore::merged(run.workspace.id()),
                      .cell = cell_path::kCell,
                      .argv = run.spec.argv,
                      .env = std::move(environment),
                      .out = {},
                      .err = {}};
  CellGroup* group = run.slot.group();
  if (group != nullptr) INSTAR_CHECK(group->set_limits(run.spec.limits));
  LauncherAnswer answer = INSTAR_TRY(
      call_launcher(run.slot.line()->socket, std::move(request), run.patience, std::move(stop)));
  CellReport report = INSTAR_TRY(judge_end(run.spec, answer.end, enforced_by(run.slot)));
  report.out = std::move(answer.out);
  report.err = std::move(answer.err);
  report.outputs = collect_outputs(
      answer.outputs.get(), run.spec.outputs,
      {.bytes = run.spec.limits.outputs_bytes, .files = run.spec.limits.outputs_files});
  return report;
}

std::optional<Owner> keeper_of(const CellSlot& slot) {
  if (slot.keeper() == 0) return {};
  return Owner{.user = slot.keeper(), .group = slot.keeper()};
}

class NamespaceProvider final : public CellProvider {
 public:
  NamespaceProvider(CellSlots slots, std::chrono::milliseconds patience)
      : slots_(std::move(slots)), patience_(patience) {
    for (const auto& slot : slots_.slots) bases_.emplace_back(slot->home(), keeper_of(*slot));
  }

  [[nodiscard]] const std::filesystem::path& scratch() const override {
    return slots_.scratch.path();
  }

  Result<std::unique_ptr<Workspace>> open_workspace(const WorkspaceSpec& spec) override {
    CellSlot* slot = INSTAR_TRY(slots_.find(spec.slot));
    return INSTAR_TRY(LayeredWorkspace::create(slot->line(), bases_[spec.slot], spec));
  }

  Result<CellReport> run(const CellSpec& spec, Workspace& workspace,
                         std::stop_token stop) override {
    CellSlot* slot = INSTAR_TRY(slots_.find(spec.slot));
    const auto* own = dynamic_cast<const LayeredWorkspace*>(&workspace);
    const auto held = INSTAR_TRY(slot->occupy(own != nullptr && own->line() == slot->line().get()));
    auto report = run_cell({.spec = spec, .workspace = *own, .slot = *slot, .patience = patience_},
                           std::move(stop));
    if (!report && report.error().code == ErrorCode::kInternal) slot->give_up();
    return report;
  }

 private:
  CellSlots slots_;
  std::vector<SlotBases> bases_;  // removed before the scratch directory is
  std::chrono::milliseconds patience_;
};

}  // namespace

std::unique_ptr<CellProvider> namespace_cells(CellSlots slots, std::chrono::milliseconds patience) {
  return std::make_unique<NamespaceProvider>(std::move(slots), patience);
}

}  // namespace instar::isolation
