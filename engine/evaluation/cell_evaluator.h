#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>

#include "base/result.h"
#include "checkpoints/store.h"
#include "engine/config/policy.h"
#include "engine/config/target.h"
#include "engine/evaluation/evaluation.h"
#include "isolation/cell.h"

namespace instar::engine {

/// Two trees measured against each other on the noisy objectives, pair by pair.
struct Contest {
  Samples a;
  Samples b;
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
class CellEvaluator : public Evaluator {
 public:
  struct Parts {
    const Target& target;
    const Policy& policy;
    checkpoints::CheckpointStore& store;
    isolation::CellProvider& cells;
    checkpoints::TreeId base;
    /// An existing private directory on the file system that workspaces are copied to; what is made
    /// in it is removed with the evaluator.
    std::filesystem::path scratch;
  };

  /// Checks what can be checked without running anything (features this build lacks are refused by
  /// name). Everything in `parts` must outlive the evaluator.
  static Result<std::unique_ptr<CellEvaluator>> make(Parts parts);

  /// Measures `a` and `b` anew, interleaved, on every stage that a noisy objective looks at; for
  /// two accepted trees between which only those objectives can decide. Put the samples into the
  /// evaluation of `a` (`samples`, `parent_samples`) and call compare(). Empty when no objective is
  /// noisy. kInvalidInput when one of the trees no longer gets to those stages.
  virtual Result<Contest> contest(const checkpoints::TreeId& a, const checkpoints::TreeId& b,
                                  unsigned slot, std::stop_token stop) = 0;
};

}  // namespace instar::engine
