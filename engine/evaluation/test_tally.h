#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/config/target.h"
#include "engine/evaluation/evaluation.h"
#include "engine/evaluation/stage_run.h"

namespace instar::engine {

/// The tests of the base: what every variant must show again.
struct TestBase {
  std::map<TestId, TestOutcome> outcomes;
  std::set<TestId> flaky;  ///< counted nowhere
};

/// The outcomes of one stage's tests: every id of the base, and what was added. `run` may be null:
/// the stage was never reached, and every test of it is missing.
std::map<TestId, TestOutcome> stage_tests(const Stage& stage, const StageRun* run,
                                          const TestBase& base);

/// Holds a run's tests against the base and settles its verdict: where tests vanished, appeared or
/// were switched off while the command claims success, it is `violated`; an exit status that only
/// flaky tests account for is no failure.
void judge_against_base(const Stage& stage, StageRun& run, const TestBase& base);

/// `tests.total`, `.passed`, `.failed` over the ids of the base. A test that is skipped or expected
/// to fail in the base and here is neither passed nor failed.
void add_test_metrics(const std::map<TestId, TestOutcome>& tests, const TestBase& base,
                      Metrics& metrics);

}  // namespace instar::engine
