#include "isolation/guarded_provider.h"

#include <utility>

#include "isolation/guarded_run.h"
#include "isolation/landlock.h"

namespace instar::isolation {

namespace {

class GuardedProvider final : public CellProvider {
 public:
  GuardedProvider(CellSlots slots, std::chrono::milliseconds patience)
      : slots_(std::move(slots)), patience_(patience), landlock_abi_(isolation::landlock_abi()) {}

  [[nodiscard]] const std::filesystem::path& scratch() const override {
    return slots_.scratch.path();
  }

  Result<std::unique_ptr<Workspace>> open_workspace(const WorkspaceSpec& spec) override {
    CellSlot* slot = INSTAR_TRY(slots_.find(spec.slot));
    return INSTAR_TRY(GuardedWorkspace::create(slot->home(), spec));
  }

  Result<CellReport> run(const CellSpec& spec, Workspace& workspace,
                         std::stop_token stop) override {
    CellSlot* slot = INSTAR_TRY(slots_.find(spec.slot));
    const auto* own = dynamic_cast<const GuardedWorkspace*>(&workspace);
    const auto held = INSTAR_TRY(slot->occupy(own != nullptr && own->home() == slot->home().get()));
    auto report = run_guarded({.spec = spec,
                               .workspace = *own,
                               .home = *slot->home(),
                               .launcher = slot->line()->socket,
                               .patience = patience_,
                               .landlock_abi = landlock_abi_},
                              std::move(stop));
    if (!report && report.error().code == ErrorCode::kInternal) slot->give_up();
    return report;
  }

 private:
  CellSlots slots_;
  std::chrono::milliseconds patience_;
  int landlock_abi_;
};

}  // namespace

std::unique_ptr<CellProvider> guarded_cells(CellSlots slots, std::chrono::milliseconds patience) {
  return std::make_unique<GuardedProvider>(std::move(slots), patience);
}

}  // namespace instar::isolation
