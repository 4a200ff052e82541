#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/evaluation/compare.h"
#include "tests/support/evaluation_bench.h"

namespace instar::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::EvaluationBench;
using testing_support::stage;

class NoisyStage : public testing::Test {
 protected:
  static std::string work(int rounds) {
    return "n = 0\nfor i in range(" + std::to_string(rounds) + "): n += i * i % 7\n";
  }
  void SetUp() override {
    bench.target.evaluate = {
        stage("build", "cp prog.py built.py"),
        stage("bench", "test ! -e ran && /usr/bin/python3 built.py && touch ran")};
    bench.target.objectives.push_back({.goal = Objective::Goal::kMinimize,
                                       .metric = "bench.cpu_s",
                                       .noise = 0.05,
                                       .until = std::nullopt});
    bench.target.objectives[0].metric = "stages.failed";
    ASSERT_TRUE(bench.measure({{"prog.py", work(1'500'000)}}));
  }
  EvaluationBench bench;
};

TEST_F(NoisyStage, AVariantThatIsReallyFasterIsBetterAndAnEqualOneIsNot) {
  const auto faster = bench.evaluate_tree(bench.variant({{"prog.py", work(100'000)}}), true);
  ASSERT_EQ(faster.verdict, Verdict::kPassed) << faster.reason;
  EXPECT_EQ(faster.samples.at("bench.cpu_s").size(), 5U);
  EXPECT_EQ(faster.parent_samples.at("bench.cpu_s").size(), 5U);
  const auto better = compare(bench.target.objectives, faster, bench.baseline.evaluation);
  EXPECT_EQ(better.result, Comparison::Result::kBetter) << better.detail;
  EXPECT_EQ(better.metric, "bench.cpu_s");
  EXPECT_THAT(better.detail, HasSubstr("p = 0.004"));

  EvaluationRequest slower;
  slower.tree = bench.base();
  slower.parent = bench.variant({{"prog.py", work(100'000)}});
  slower.parent_evaluation = &faster;
  const auto base = bench.evaluator().evaluate(slower, {});
  EXPECT_EQ(compare(bench.target.objectives, base, faster).result, Comparison::Result::kWorse);
}

TEST_F(NoisyStage, AParentThatWeCannotRunIsOurFaultNotTheVariants) {
  checkpoints::TreeId lost;
  lost.bytes.fill(0xEE);
  const auto variant = bench.variant({{"prog.py", work(100'000)}});
  EXPECT_EQ(bench.evaluate_beside(variant, lost).verdict, Verdict::kInfra);
}

TEST_F(NoisyStage, ARunOfTheParentThatWeCannotMakeIsOurFaultToo) {
  const auto variant = bench.variant({{"prog.py", work(100'000)}});
  // The variant's build, its parent's, then each of them in turn.
  for (const unsigned run_of_the_parent : {2U, 4U}) {
    bench.cells().runs_until_fault = run_of_the_parent;
    const auto evaluation = bench.evaluate_tree(variant, true);
    EXPECT_EQ(evaluation.verdict, Verdict::kInfra) << run_of_the_parent;
    EXPECT_THAT(evaluation.reason, HasSubstr("no disk"));
  }
  EXPECT_EQ(bench.evaluate_tree(variant, true).verdict, Verdict::kPassed);
}

TEST_F(NoisyStage, IsMeasuredOnceWhereAnEarlierObjectiveDecides) {
  bench.target.objectives[0].metric = "patch.lines";
  const auto longer = bench.evaluate_tree(bench.variant({{"prog.py", work(100'000)}}), true);
  EXPECT_EQ(longer.verdict, Verdict::kPassed);
  EXPECT_TRUE(longer.samples.empty());
  EXPECT_THAT(longer.notes, ElementsAre(HasSubstr("ran once")));
}

TEST_F(NoisyStage, AVariantThatFailsIsNotRepeated) {
  bench.target.evaluate[1].command = "/usr/bin/python3 built.py";
  const auto failed =
      bench.evaluate_tree(bench.variant({{"prog.py", "raise SystemExit(1)\n"}}), true);
  EXPECT_EQ(failed.verdict, Verdict::kFailed);
  EXPECT_EQ(failed.stage, "bench");
  EXPECT_TRUE(failed.samples.empty());
}

TEST(Baseline, AnObjectiveThatItsStageDoesNotReportIsRefusedWithWhatItDoes) {
  EvaluationBench bench;
  Stage bench_stage = stage("m", "echo '{\"err\": 2, \"ok\": 1}' > $INSTAR_OUT/m.json");
  bench_stage.report = ReportKind::kMetrics;
  bench_stage.report_file = "m.json";
  bench.target.evaluate = {bench_stage};
  bench.target.objectives[0].metric = "m.er";
  EXPECT_EQ(bench.refusal({{"src/a", "a"}}),
            "the objective m.er is a metric that the base does not report\nhint: its stage reports "
            "m.err, m.ok");
  bench.target.objectives[0].metric = "m.err";
  EXPECT_EQ(bench.refusal({{"src/a", "a"}}), "accepted");
}

}  // namespace
}  // namespace instar::engine
