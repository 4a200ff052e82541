#pragma once

#include <span>
#include <string>

#include "engine/config/target.h"
#include "engine/evaluation/evaluation.h"

namespace instar::engine {

/// How a variant stands to its parent under the objectives, in order: the first that differs
/// decides.
struct Comparison {
  enum class Result { kBetter, kEqual, kWorse } result = Result::kEqual;
  std::string metric;  ///< that decided; empty when equal
  std::string detail;  ///< "tests.failed 3 -> 1", "bench.cpu_s 1.92 -> 1.31 (p = 0.004)"
};

/// Lexicographic; `patch.lines` (minimize) is the implicit last objective. A noisy metric counts as
/// different only when a one-sided test on interleaved samples says so. Only a `passed` or `failed`
/// variant can be better.
Comparison compare(std::span<const Objective> objectives, const Evaluation& variant,
                   const Evaluation& parent);

/// Whether every objective that has an `until` stands there, and every objective has one.
bool solved(std::span<const Objective> objectives, const Metrics& metrics);

}  // namespace instar::engine
