#pragma once

#include <span>
#include <string>
#include <string_view>

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

/// The level of the one-sided test: one false "better" in a hundred comparisons of equals.
inline constexpr double kSignificance = 0.01;
/// The fewest interleaved pairs that can reach it: with four each the smallest p is 1/70, with five
/// 1/252.
inline constexpr unsigned kMinNoisyRepeats = 5;
/// The difference that time and memory must show where the target names no `noise`: below two
/// percent a change of a file's layout alone moves them.
inline constexpr double kMeasuredNoise = 0.02;

/// Lexicographic; `patch.lines` (minimize) is the implicit last objective. A noisy metric counts as
/// different only when the one-sided rank-sum test on interleaved samples says so at kSignificance
/// and the medians differ by more than its `noise`. A metric that is missing is worse than any
/// value. Only a `passed` or `failed` variant can be better.
Comparison compare(std::span<const Objective> objectives, const Evaluation& variant,
                   const Evaluation& parent);

/// Whether an objective is compared statistically: it has `noise` (the loader gives it to what a
/// repeated stage reports), or its metric is a measured time or size (`cpu_s`, `wall_s`,
/// `peak_memory_bytes`, alone or of a stage). Everything that asks, asks here.
bool is_noisy(const Objective& objective);

/// `cpu_s` of "cpu_s" and of "bench.cpu_s", when it is one that is always measured; else empty.
std::string_view measured_name(std::string_view metric);

/// Whether every objective has an `until` and stands there.
bool solved(std::span<const Objective> objectives, const Metrics& metrics);

}  // namespace instar::engine
