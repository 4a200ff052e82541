#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/check_report.h"
#include "engine/evaluation/evaluation.h"

namespace instar::cli {

/// How long the tests of a stage take and how long a variant's may.
struct TestPace {
  std::string stage;
  std::chrono::milliseconds slowest;   ///< of the base's tests that ended, CPU time, rounded up
  std::chrono::milliseconds deadline;  ///< of one test of a variant, CPU time
  /// A shorter `per_test`, where the deadline is more than fifty times the slowest test: many
  /// variants hang, and each costs the deadline.
  std::optional<std::chrono::milliseconds> advised;
};

/// One for each stage whose tests have been timed, in the order of the target.
std::vector<TestPace> test_paces(const CheckReport& report, const engine::Baseline& base);

}  // namespace instar::cli
