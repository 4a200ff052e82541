#include "cli/check_run.h"

#include "base/files.h"
#include "checkpoints/git_store.h"
#include "cli/signals.h"
#include "engine/evaluation/cell_evaluator.h"
#include "isolation/guarded_provider.h"

namespace instar::cli {

namespace fs = std::filesystem;

Result<engine::Baseline> run_base(const CheckReport& report, const fs::path& directory) {
  INSTAR_CHECK(engine::require(report.required));
  const TempDir scratch = INSTAR_TRY(TempDir::create("instar-check"));
  // As root the cells run as another user, who must be able to pass through.
  std::error_code error;
  fs::permissions(scratch.path(), fs::perms(0711), error);
  if (error) return fail(Error::system("cannot open " + scratch.path().string(), error.value()));
  const auto cells =
      INSTAR_TRY(isolation::make_guarded_provider({.slots = 1, .scratch = scratch.path()}));
  const auto repository = INSTAR_TRY(checkpoints::Repository::open(directory));
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(repository));
  const auto base = INSTAR_TRY(store->commit_info(report.base));
  const auto evaluator = INSTAR_TRY(engine::CellEvaluator::make({.target = report.target,
                                                                 .policy = report.policy,
                                                                 .store = *store,
                                                                 .cells = *cells,
                                                                 .base = base.tree,
                                                                 .scratch = scratch.path()}));
  // Only now: they wait in a thread of their own. Ctrl-C ends the cells and leaves nothing behind.
  const Signals signals;
  return evaluator->baseline(signals.control().drain);
}

}  // namespace instar::cli
