#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "checkpoints/git_store.h"
#include "engine/evaluation/cell_evaluator.h"
#include "engine/run/loop.h"
#include "isolation/cell.h"

namespace instar::engine {

/// What a stretch of a run works with: launchers of cells, the object store, the evaluator. Made
/// before any thread.
struct RunParts {
  std::unique_ptr<isolation::CellProvider> cells;
  RunControl control;
  std::unique_ptr<checkpoints::GitStore> store;
  std::unique_ptr<Evaluator> evaluator;
};

/// What they are made from. Target and policy must outlive the parts.
struct PartsSpec {
  const checkpoints::Repository& repository;
  const Target& target;
  const Policy& policy;
  checkpoints::TreeId base;
  unsigned jobs = 1;
  isolation::Level level;  ///< of the cells
};

Result<RunParts> make_run_parts(const PartsSpec& spec,
                                const std::function<RunControl()>& begin_signals);

/// Whether an objective of the target is compared by statistics.
bool compares_noisy(const Target& target);

}  // namespace instar::engine
