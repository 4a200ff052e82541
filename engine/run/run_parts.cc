#include "engine/run/run_parts.h"

#include <algorithm>

#include "engine/evaluation/compare.h"
#include "isolation/cell_provider.h"

namespace instar::engine {

bool compares_noisy(const Target& target) {
  return std::any_of(target.objectives.begin(), target.objectives.end(), is_noisy);
}

Result<RunParts> make_run_parts(const PartsSpec& spec,
                                const std::function<RunControl()>& begin_signals) {
  // One slot beyond the jobs: a challenger meets the champion there while the others go on.
  const unsigned slots = spec.jobs + (compares_noisy(spec.target) ? 1 : 0);
  auto cells =
      INSTAR_TRY(isolation::make_cell_provider({.level = spec.level,
                                                .slots = slots,
                                                .tree_memory = requires_tree_memory(spec.policy),
                                                .scratch = {}}));
  RunControl control = begin_signals();
  auto store = INSTAR_TRY(checkpoints::GitStore::open(spec.repository));
  auto evaluator = make_cell_evaluator({.target = spec.target,
                                        .policy = spec.policy,
                                        .store = *store,
                                        .cells = *cells,
                                        .base = spec.base});
  return RunParts{.cells = std::move(cells),
                  .control = std::move(control),
                  .store = std::move(store),
                  .evaluator = std::move(evaluator)};
}

}  // namespace instar::engine
