#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/evaluation/evaluation.h"
#include "engine/run/journal.h"
#include "engine/run/run_state.h"

namespace instar::engine {

/// Measures a variant against the champion, side by side: samples of noisy metrics are never
/// compared across different moments. Each match is held once in a run and recorded.
class TitleMatch {
 public:
  /// `slot` is one that no other evaluation uses. Borrows everything.
  TitleMatch(Journal& journal, Evaluator& evaluator, const std::vector<TestId>& base_tests,
             unsigned slot)
      : journal_(journal), evaluator_(evaluator), base_tests_(base_tests), slot_(slot) {}

  /// What the challenger showed, with the champion's samples beside its own. A fault of ours, or a
  /// kill, is no result but an Error: nothing is recorded, and a resumed run measures them again.
  Result<Evaluation> hold(const Variant& challenger, const Accepted& champion,
                          const std::stop_token& kill);

 private:
  Journal& journal_;
  Evaluator& evaluator_;
  const std::vector<TestId>& base_tests_;
  unsigned slot_;
};

}  // namespace instar::engine
