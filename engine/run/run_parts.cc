#include "engine/run/run_parts.h"

#include <algorithm>

#include "engine/evaluation/compare.h"
#include "isolation/guarded_provider.h"

namespace instar::engine {

bool compares_noisy(const Target& target) {
  return std::any_of(target.objectives.begin(), target.objectives.end(), is_noisy);
}

Result<RunParts> make_run_parts(const checkpoints::Repository& repository, const Target& target,
                                const Policy& policy, const checkpoints::TreeId& base,
                                unsigned jobs, const std::function<RunControl()>& begin_signals) {
  // One slot beyond the jobs: a challenger meets the champion there while the others go on.
  const unsigned slots = jobs + (compares_noisy(target) ? 1 : 0);
  auto cells = INSTAR_TRY(isolation::make_guarded_provider({.slots = slots, .scratch = {}}));
  RunControl control = begin_signals();
  auto store = INSTAR_TRY(checkpoints::GitStore::open(repository));
  auto evaluator = make_cell_evaluator(
      {.target = target, .policy = policy, .store = *store, .cells = *cells, .base = base});
  return RunParts{.cells = std::move(cells),
                  .control = std::move(control),
                  .store = std::move(store),
                  .evaluator = std::move(evaluator)};
}

}  // namespace instar::engine
