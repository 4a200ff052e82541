#include "cli/check_run.h"

#include <memory>

#include "checkpoints/git_store.h"
#include "cli/signals.h"
#include "engine/run/run_parts.h"
#include "isolation/level_available.h"

namespace instar::cli {

Result<engine::Baseline> run_base(const CheckReport& report,
                                  const std::filesystem::path& directory) {
  INSTAR_CHECK(engine::require(report.required));
  const auto repository = INSTAR_TRY(checkpoints::Repository::open(directory));
  const auto base =
      INSTAR_TRY(INSTAR_TRY(checkpoints::GitStore::open(repository))->commit_info(report.base));
  // Ctrl-C ends the cells and leaves nothing behind.
  std::unique_ptr<Signals> signals;
  const auto parts = INSTAR_TRY(
      engine::make_run_parts(repository, report.target, report.policy, base.tree, 1, [&] {
        signals = std::make_unique<Signals>(Signals::of_a_trial());
        return signals->control();
      }));
  return parts.evaluator->baseline(parts.control.drain);
}

}  // namespace instar::cli
