#include "engine/evaluation/evaluation_json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace instar::engine {
namespace {

using nlohmann::json;

rc::Gen<std::string> text() {
  return rc::gen::map(rc::gen::arbitrary<std::string>(),
                      [](const std::string& raw) { return escape_for_terminal(raw); });
}

rc::Gen<double> finite() {
  return rc::gen::map(rc::gen::pair(rc::gen::arbitrary<int>(), rc::gen::inRange(1, 1000)),
                      [](const std::pair<int, int>& p) { return p.first / double(p.second); });
}

rc::Gen<std::map<TestId, TestOutcome>> tests() {
  const auto id = rc::gen::build<TestId>(rc::gen::set(&TestId::stage, text()),
                                         rc::gen::set(&TestId::classname, text()),
                                         rc::gen::set(&TestId::name, text()));
  const auto outcome = rc::gen::element(
      TestOutcome::kPassed, TestOutcome::kFailed, TestOutcome::kError, TestOutcome::kSkipped,
      TestOutcome::kExpectedFail, TestOutcome::kMissing, TestOutcome::kTimeout);
  return rc::gen::container<std::map<TestId, TestOutcome>>(id, outcome);
}

rc::Gen<Evaluation> evaluations() {
  const auto metrics = rc::gen::container<Metrics>(text(), finite());
  const auto samples =
      rc::gen::container<Samples>(text(), rc::gen::container<std::vector<double>>(finite()));
  return rc::gen::build<Evaluation>(
      rc::gen::set(&Evaluation::verdict,
                   rc::gen::element(Verdict::kPassed, Verdict::kFailed, Verdict::kTimeout,
                                    Verdict::kViolated, Verdict::kInfra)),
      rc::gen::set(&Evaluation::reason, text()), rc::gen::set(&Evaluation::stage, text()),
      rc::gen::set(&Evaluation::metrics, metrics), rc::gen::set(&Evaluation::samples, samples),
      rc::gen::set(&Evaluation::parent_samples, samples), rc::gen::set(&Evaluation::tests, tests()),
      rc::gen::set(&Evaluation::output_excerpt, text()),
      rc::gen::set(&Evaluation::notes, rc::gen::container<std::vector<std::string>>(text())));
}

void expect_same(const Evaluation& a, const Evaluation& b) {
  RC_ASSERT(a.verdict == b.verdict);
  RC_ASSERT(a.reason == b.reason);
  RC_ASSERT(a.stage == b.stage);
  RC_ASSERT(a.metrics == b.metrics);
  RC_ASSERT(a.samples == b.samples);
  RC_ASSERT(a.parent_samples == b.parent_samples);
  RC_ASSERT(a.tests == b.tests);
  RC_ASSERT(a.output_excerpt == b.output_excerpt);
  RC_ASSERT(a.notes == b.notes);
}

RC_GTEST_PROP(EvaluationJson, GivesBackWhatWasWritten, ()) {
  const Evaluation base = *evaluations();
  Evaluation variant = *evaluations();
  // A variant shares most ids with the base.
  for (const auto& [id, outcome] : base.tests) variant.tests.emplace(id, TestOutcome::kFailed);
  Baseline baseline{.evaluation = base,
                    .flaky = {{"s", "c", "n"}},
                    .cpu_s = {{"s", 0.1}},
                    .wall_s = {{"s", 0.3}},
                    .slowest_test_cpu_s = {{"s", 0.7}},
                    .stage_created = {"tests/__pycache__"},
                    .stage_touched = {"tests/run.sh", "tests/"}};
  const auto ids = base_test_ids(baseline);
  const auto read = evaluation_from_json(json::parse(to_json(variant, ids).dump()), ids);
  RC_ASSERT(read.has_value());
  expect_same(*read, variant);

  const auto again = baseline_from_json(json::parse(to_json(baseline).dump()));
  RC_ASSERT(again.has_value());
  expect_same(again->evaluation, base);
  RC_ASSERT(again->flaky == baseline.flaky);
  RC_ASSERT(again->cpu_s == baseline.cpu_s);
  RC_ASSERT(again->wall_s == baseline.wall_s);
  RC_ASSERT(again->slowest_test_cpu_s == baseline.slowest_test_cpu_s);
  RC_ASSERT(again->stage_created == baseline.stage_created);
  RC_ASSERT(again->stage_touched == baseline.stage_touched);
}

TEST(EvaluationJson, NamesTheBasesTestsOnlyInTheBaseline) {
  Baseline baseline;
  baseline.evaluation.tests[{"s", "c", "a_test_with_a_name"}] = TestOutcome::kFailed;
  Evaluation variant;
  variant.tests[{"s", "c", "a_test_with_a_name"}] = TestOutcome::kPassed;
  const auto record = to_json(variant, base_test_ids(baseline));
  EXPECT_EQ(record["tests"], "p");
  EXPECT_EQ(record.dump().find("a_test_with_a_name"), std::string::npos);
}

TEST(EvaluationJson, AHostileReportOfAddedTestsStaysSmall) {
  const std::vector<TestId> ids{{"s", "", "of the base"}};
  Evaluation variant;
  variant.tests[ids[0]] = TestOutcome::kPassed;
  const std::string quotes(4000, '"');
  for (int i = 0; i < 4000; ++i) {
    variant.tests[{"s", quotes, std::to_string(i) + quotes}] = TestOutcome::kPassed;
  }
  bound_added_tests(variant, ids);
  EXPECT_EQ(variant.tests.size(), 21U);
  EXPECT_EQ(variant.tests.at(ids[0]), TestOutcome::kPassed);
  ASSERT_EQ(variant.notes.size(), 1U);
  EXPECT_EQ(variant.notes[0], "3980 more tests that the base does not have were reported");
  const json record = to_json(variant, ids);
  EXPECT_LT(record.dump().size(), 64U << 10);
  EXPECT_EQ(evaluation_from_json(record, ids)->tests, variant.tests);
  const Evaluation once = variant;
  bound_added_tests(variant, ids);
  EXPECT_EQ(variant.tests, once.tests);
  EXPECT_EQ(variant.notes, once.notes);
}

TEST(EvaluationJson, AChangedRecordIsAnIntegrityError) {
  const std::vector<TestId> ids{{"s", "", "a"}};
  Evaluation variant;
  variant.tests[ids[0]] = TestOutcome::kPassed;
  const json sound = to_json(variant, ids);
  ASSERT_TRUE(evaluation_from_json(sound, ids));
  const auto changed = [&](const char* key, json value) {
    json record = sound;
    record[key] = std::move(value);
    const auto read = evaluation_from_json(record, ids);
    return !read && read.error().code == ErrorCode::kIntegrity;
  };
  EXPECT_TRUE(changed("tests", "q"));
  EXPECT_TRUE(changed("tests", "pp"));
  EXPECT_TRUE(changed("tests", 1));
  EXPECT_TRUE(changed("verdict", "splendid"));
  EXPECT_TRUE(changed("metrics", {{"a", "1"}}));
  EXPECT_TRUE(changed("added", {{{"id", {"s"}}, {"outcome", "p"}}}));
  EXPECT_FALSE(evaluation_from_json(json::array(), ids));
}

}  // namespace
}  // namespace instar::engine
