#include "engine/evaluation/test_tally.h"

#include <algorithm>

namespace instar::engine {

namespace {

bool is_set_aside(TestOutcome outcome) {
  return outcome == TestOutcome::kSkipped || outcome == TestOutcome::kExpectedFail;
}

/// Whether a test that had `before` in the base and has `now` counts as failed.
bool counts_as_failed(TestOutcome before, TestOutcome now) {
  return is_failure(now) || (is_set_aside(now) && !is_set_aside(before));
}

std::string several(std::size_t count) {
  return count > 1 ? " (and " + std::to_string(count - 1) + " more)" : std::string();
}

/// What a variant does that wants to look better than it is: tests vanish, appear, or are switched
/// off, and the command says that all is well.
std::string find_game(const std::map<TestId, TestOutcome>& tests, const TestBase& base) {
  std::vector<TestId> missing;
  std::vector<TestId> added;
  std::vector<TestId> switched_off;
  for (const auto& [id, outcome] : tests) {
    const auto known = base.outcomes.find(id);
    if (known == base.outcomes.end()) {
      added.push_back(id);
    } else if (outcome == TestOutcome::kMissing) {
      missing.push_back(id);
    } else if (is_set_aside(outcome) && !is_set_aside(known->second)) {
      switched_off.push_back(id);
    }
  }
  const auto told = [](const std::vector<TestId>& ids, const std::string& what) {
    return "the command claims success, but " + to_string(ids.front()) + " " + what +
           several(ids.size());
  };
  if (!missing.empty()) return told(missing, "did not report");
  if (!added.empty()) return told(added, "is no test of the base");
  if (!switched_off.empty()) return told(switched_off, "is newly skipped or expected to fail");
  return {};
}

}  // namespace

std::map<TestId, TestOutcome> stage_tests(const Stage& stage, const StageRun* run,
                                          const TestBase& base) {
  std::map<TestId, TestOutcome> tests;
  for (const auto& [id, outcome] : base.outcomes) {
    if (id.stage == stage.name) tests[id] = TestOutcome::kMissing;
  }
  if (run == nullptr || !run->report) return tests;
  for (const TestRecord& test : run->report->tests) {
    TestId id{.stage = stage.name, .classname = test.classname, .name = test.name};
    if (!base.flaky.contains(id)) tests[std::move(id)] = test.outcome;
  }
  return tests;
}

void judge_against_base(const Stage& stage, StageRun& run, const TestBase& base) {
  if (!run.report || !run.report->incomplete.empty()) return;
  const bool infra_or_timeout = run.verdict == Verdict::kInfra || run.verdict == Verdict::kTimeout;
  if (infra_or_timeout || !(run.exited_zero || run.tests_explain_exit)) return;
  const auto tests = stage_tests(stage, &run, base);
  const std::string game = find_game(tests, base);
  if (run.exited_zero && !game.empty()) {
    run.verdict = Verdict::kViolated;
    run.reason = game;
    return;
  }
  const bool all_well = std::none_of(tests.begin(), tests.end(),
                                     [](const auto& test) { return is_failure(test.second); });
  if (run.verdict == Verdict::kFailed && run.tests_explain_exit && game.empty() && all_well) {
    run.verdict = Verdict::kPassed;
    run.reason.clear();
  }
}

void add_test_metrics(const std::map<TestId, TestOutcome>& tests, const TestBase& base,
                      Metrics& metrics) {
  double passed = 0;
  double failed = 0;
  for (const auto& [id, before] : base.outcomes) {
    const auto found = tests.find(id);
    const TestOutcome now = found == tests.end() ? TestOutcome::kMissing : found->second;
    if (now == TestOutcome::kPassed) ++passed;
    if (counts_as_failed(before, now)) ++failed;
  }
  metrics["tests.total"] = static_cast<double>(base.outcomes.size());
  metrics["tests.passed"] = passed;
  metrics["tests.failed"] = failed;
}

}  // namespace instar::engine
