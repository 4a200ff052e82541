#pragma once

#include <memory>

#include "checkpoints/store.h"
#include "engine/config/policy.h"
#include "engine/config/target.h"
#include "engine/evaluation/evaluation.h"
#include "isolation/cell.h"

namespace instar::engine {

/// What trees are evaluated with; all of it must outlive the evaluator.
struct EvaluatorParts {
  const Target& target;
  const Policy& policy;
  checkpoints::CheckpointStore& store;
  isolation::CellProvider& cells;
  checkpoints::TreeId base;
};

/// Evaluates trees by running the target's stages in cells.
///
/// What its verdicts are worth: a test that runs in the variant's own process can be forged by that
/// process, since whatever the harness writes, the variant can write too. What this build holds
/// against it: sealed files are re-hashed after every stage, every id of the base must report, the
/// harness must end in order and agree with the exit status, $INSTAR_OUT is fresh for every stage,
/// and the pytest plugin runs tests in a child that does not hold the record. What would stop it
/// for good, a judge in a cell of its own, a canary and hidden inputs, is refused by name in this
/// build. docs/evaluation.md has the list.
std::unique_ptr<Evaluator> make_cell_evaluator(const EvaluatorParts& parts);

}  // namespace instar::engine
