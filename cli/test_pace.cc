#include "cli/test_pace.h"

#include <algorithm>
#include <cmath>

#include "engine/evaluation/stage_cell.h"

namespace instar::cli {

namespace {

using std::chrono::milliseconds;

constexpr int kGenerous = 50;  ///< times the slowest test: more than noise, most of it is waiting
constexpr int kEnough = 20;    ///< times the slowest test, for a loaded machine and slower variants
constexpr milliseconds kLeastAdvised{200};  ///< what loading a module may cost a test

milliseconds rounded_up(double seconds) {
  return milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

/// A number that a person would write: whole tenths of a second, rounded up.
milliseconds in_tenths(milliseconds time) { return (time + milliseconds(99)) / 100 * 100; }

}  // namespace

std::vector<TestPace> test_paces(const CheckReport& report, const engine::Baseline& base) {
  std::vector<TestPace> paces;
  for (const engine::Stage& stage : report.target.evaluate) {
    const auto slowest = base.slowest_test_cpu_s.find(stage.name);
    if (slowest == base.slowest_test_cpu_s.end()) continue;
    TestPace pace{.stage = stage.name,
                  .slowest = rounded_up(slowest->second),
                  .deadline = engine::stage_deadline(stage, report.policy.cell, &base).per_test,
                  .advised = {}};
    const milliseconds enough = std::max(in_tenths(kEnough * pace.slowest), kLeastAdvised);
    if (pace.deadline > kGenerous * pace.slowest && enough < pace.deadline) pace.advised = enough;
    paces.push_back(std::move(pace));
  }
  return paces;
}

}  // namespace instar::cli
