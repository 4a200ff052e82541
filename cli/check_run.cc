#include "cli/check_run.h"

#include <memory>

#include "checkpoints/git_store.h"
#include "cli/signals.h"
#include "engine/run/run_parts.h"
#include "engine/run/surface_look.h"
#include "isolation/level_available.h"

namespace instar::cli {

Result<engine::Baseline> run_base(const CheckReport& report,
                                  const std::filesystem::path& directory) {
  INSTAR_CHECK(engine::require(report.required));
  const auto repository = INSTAR_TRY(checkpoints::Repository::open(directory));
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(repository));
  const auto base = INSTAR_TRY(store->commit_info(report.base));
  // Ctrl-C ends the cells and leaves nothing behind.
  std::unique_ptr<Signals> signals;
  const auto parts = INSTAR_TRY(
      engine::make_run_parts(repository, report.target, report.policy, base.tree, 1, [&] {
        signals = std::make_unique<Signals>(Signals::of_a_trial());
        return signals->control();
      }));
  auto baseline = parts.evaluator->baseline(parts.control.drain);
  if (baseline || baseline.error().code != ErrorCode::kInvalidInput) return baseline;
  // Most often a test directory that git ignores: it is there to see, and the cell has none.
  const auto entries = INSTAR_TRY(store->list(base.tree));
  const auto missing = INSTAR_TRY(engine::not_committed(report.target.sealed, repository, entries));
  if (missing.empty()) return baseline;
  Error error = baseline.error();
  error.hint = engine::say_not_committed(missing) + (error.hint.empty() ? "" : "; " + error.hint);
  return fail(std::move(error));
}

}  // namespace instar::cli
