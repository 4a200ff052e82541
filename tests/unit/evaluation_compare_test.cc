#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "engine/evaluation/compare.h"
#include "engine/evaluation/rank_test.h"

namespace instar::engine {
namespace {

using Order = Comparison::Result;
constexpr auto kMin = Objective::Goal::kMinimize;
constexpr auto kMax = Objective::Goal::kMaximize;

Objective objective(std::string metric, Objective::Goal goal = kMin,
                    std::optional<double> noise = {}) {
  return {.goal = goal, .metric = std::move(metric), .noise = noise, .until = std::nullopt};
}

Evaluation with(Metrics metrics, Verdict verdict = Verdict::kPassed) {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  evaluation.metrics = std::move(metrics);
  return evaluation;
}

TEST(Compare, TheFirstObjectiveThatDiffersDecides) {
  const std::vector<Objective> objectives{objective("tests.failed"), objective("score", kMax)};
  const auto parent = with({{"tests.failed", 2}, {"score", 5}});
  EXPECT_EQ(compare(objectives, with({{"tests.failed", 1}, {"score", 1}}), parent).result,
            Order::kBetter);
  EXPECT_EQ(compare(objectives, with({{"tests.failed", 3}, {"score", 9}}), parent).result,
            Order::kWorse);
  const auto by_score = compare(objectives, with({{"tests.failed", 2}, {"score", 6}}), parent);
  EXPECT_EQ(by_score.result, Order::kBetter);
  EXPECT_EQ(by_score.metric, "score");
  EXPECT_EQ(by_score.detail, "score 5 -> 6");
}

TEST(Compare, PatchLinesAreTheImplicitLastObjective) {
  const std::vector<Objective> objectives{objective("tests.failed")};
  const auto parent = with({{"tests.failed", 0}, {"patch.lines", 4}});
  EXPECT_EQ(compare(objectives, with({{"tests.failed", 0}, {"patch.lines", 2}}), parent).result,
            Order::kBetter);
  EXPECT_EQ(compare(objectives, with({{"tests.failed", 0}, {"patch.lines", 4}}), parent).result,
            Order::kEqual);
  EXPECT_EQ(compare(objectives, with({{"tests.failed", 1}, {"patch.lines", 2}}), parent).result,
            Order::kWorse);
}

TEST(Compare, AMissingOrNonFiniteMetricIsWorst) {
  const std::vector<Objective> objectives{objective("score", kMax)};
  EXPECT_EQ(compare(objectives, with({}), with({{"score", -1e9}})).result, Order::kWorse);
  EXPECT_EQ(compare(objectives, with({{"score", -1e9}}), with({})).result, Order::kBetter);
  EXPECT_EQ(compare(objectives, with({}), with({})).result, Order::kEqual);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(compare(objectives, with({{"score", nan}}), with({{"score", 0}})).result,
            Order::kWorse);
}

TEST(Compare, OnlyAPassedOrFailedVariantCanBeBetter) {
  const std::vector<Objective> objectives{objective("tests.failed")};
  const auto parent = with({{"tests.failed", 2}});
  for (const Verdict verdict : {Verdict::kTimeout, Verdict::kViolated, Verdict::kInfra}) {
    EXPECT_EQ(compare(objectives, with({{"tests.failed", 0}}, verdict), parent).result,
              Order::kWorse);
  }
  EXPECT_EQ(compare(objectives, with({{"tests.failed", 0}}, Verdict::kFailed), parent).result,
            Order::kBetter);
}

Evaluation sampled(std::vector<double> mine, std::vector<double> parents) {
  auto evaluation = with({{"bench.cpu_s", median(mine)}});
  evaluation.samples["bench.cpu_s"] = std::move(mine);
  evaluation.parent_samples["bench.cpu_s"] = std::move(parents);
  return evaluation;
}

TEST(Compare, ANoisyMetricNeedsSignificanceAndMoreThanItsNoise) {
  const std::vector<Objective> objectives{objective("bench.cpu_s", kMin, 0.05)};
  const auto parent = with({{"bench.cpu_s", 1}});
  const std::vector<double> old{1.00, 1.02, 1.01, 1.03, 0.99};
  EXPECT_EQ(compare(objectives, sampled({0.80, 0.82, 0.81, 0.79, 0.83}, old), parent).result,
            Order::kBetter);
  EXPECT_EQ(compare(objectives, sampled({1.20, 1.22, 1.21, 1.19, 1.23}, old), parent).result,
            Order::kWorse);
  // one outlier overlaps: p = 5/252 or more
  EXPECT_EQ(compare(objectives, sampled({0.80, 0.82, 0.81, 0.79, 1.50}, old), parent).result,
            Order::kEqual);
  // all below, but by less than the noise
  EXPECT_EQ(compare(objectives, sampled({0.98, 0.98, 0.98, 0.98, 0.98}, old), parent).result,
            Order::kEqual);
  // four samples each cannot reach the level
  EXPECT_EQ(compare(objectives, sampled({0.8, 0.8, 0.8, 0.8}, {1, 1, 1, 1}), parent).result,
            Order::kEqual);
}

TEST(Compare, AMeasuredTimeIsNeverComparedWithoutSamples) {
  const std::vector<Objective> objectives{objective("bench.cpu_s")};
  EXPECT_EQ(compare(objectives, with({{"bench.cpu_s", 0.5}}), with({{"bench.cpu_s", 1}})).result,
            Order::kEqual);
  EXPECT_EQ(compare({}, with({{"patch.lines", 0.5}}), with({{"patch.lines", 1}})).result,
            Order::kBetter);
}

TEST(Compare, AMaximisedNoisyMetricWinsByBeingHigher) {
  const std::vector<Objective> objectives{objective("rate", kMax, 0.0)};
  auto fast = with({{"rate", 10}});
  fast.samples["rate"] = {10, 11, 12, 13, 14};
  fast.parent_samples["rate"] = {1, 2, 3, 4, 5};
  EXPECT_EQ(compare(objectives, fast, with({{"rate", 3}})).result, Order::kBetter);
  std::swap(fast.samples, fast.parent_samples);
  EXPECT_EQ(compare(objectives, fast, with({{"rate", 3}})).result, Order::kWorse);
}

RC_GTEST_PROP(Compare, IsAntisymmetricOnExactMetrics, (int a, int b, int lines_a, int lines_b)) {
  const std::vector<Objective> objectives{objective("m", kMax)};
  const auto x = with({{"m", a}, {"patch.lines", lines_a}});
  const auto y = with({{"m", b}, {"patch.lines", lines_b}});
  const auto there = compare(objectives, x, y).result;
  const auto back = compare(objectives, y, x).result;
  RC_ASSERT((there == Order::kBetter) == (back == Order::kWorse));
  RC_ASSERT((there == Order::kEqual) == (back == Order::kEqual));
}

TEST(Solved, EveryObjectiveMustStandAtItsUntil) {
  std::vector<Objective> objectives{objective("tests.failed")};
  EXPECT_FALSE(solved(objectives, {{"tests.failed", 0}}));
  objectives.back().until = 0;
  EXPECT_TRUE(solved(objectives, {{"tests.failed", 0}}));
  EXPECT_FALSE(solved(objectives, {{"tests.failed", 1}}));
  EXPECT_FALSE(solved(objectives, {}));
  EXPECT_FALSE(solved({}, {{"tests.failed", 0}}));
  objectives.push_back(objective("score", kMax));
  EXPECT_FALSE(solved(objectives, {{"tests.failed", 0}, {"score", 100}}));
  objectives.back().until = 50;
  EXPECT_TRUE(solved(objectives, {{"tests.failed", 0}, {"score", 50}}));
  EXPECT_FALSE(solved(objectives, {{"tests.failed", 0}, {"score", 49}}));
}

TEST(RankTest, GivesTheExactSmallestValues) {
  EXPECT_NEAR(rank_sum_p(std::vector<double>{1, 2, 3, 4, 5}, std::vector<double>{6, 7, 8, 9, 10}),
              1.0 / 252, 1e-12);
  EXPECT_NEAR(rank_sum_p(std::vector<double>{1, 2, 3, 4}, std::vector<double>{6, 7, 8, 9}),
              1.0 / 70, 1e-12);
  EXPECT_NEAR(rank_sum_p(std::vector<double>{1, 2, 3, 4, 6}, std::vector<double>{5, 7, 8, 9, 10}),
              2.0 / 252, 1e-12);
  EXPECT_NEAR(rank_sum_p(std::vector<double>{6, 7}, std::vector<double>{1, 2}), 1, 1e-12);
}

TEST(RankTest, IsExactWithTies) {
  // pooled {1,1,2,2}: of the six splits one has the rank sum of {1,1}, five are at most that of
  // {1,2}
  EXPECT_NEAR(rank_sum_p(std::vector<double>{1, 1}, std::vector<double>{2, 2}), 1.0 / 6, 1e-12);
  EXPECT_NEAR(rank_sum_p(std::vector<double>{1, 2}, std::vector<double>{1, 2}), 5.0 / 6, 1e-12);
  EXPECT_NEAR(rank_sum_p(std::vector<double>{7, 7}, std::vector<double>{7, 7}), 1, 1e-12);
}

TEST(RankTest, SaysNothingAboutUnsoundSamples) {
  const std::vector<double> one{1};
  EXPECT_EQ(rank_sum_p({}, one), 1);
  EXPECT_EQ(rank_sum_p(one, {}), 1);
  EXPECT_EQ(rank_sum_p(std::vector<double>{std::numeric_limits<double>::quiet_NaN()}, one), 1);
  EXPECT_EQ(rank_sum_p(std::vector<double>(kMaxRankSamples, 0.0), one), 1);
}

TEST(RankTest, HoldsItsLevelUnderTheNullHypothesis) {
  // Every split of ten distinct values is equally likely when there is no difference: the share
  // that is called significant must not exceed the level.
  int significant = 0;
  int total = 0;
  for (unsigned mask = 0; mask < 1024; ++mask) {
    if (__builtin_popcount(mask) != 5) continue;
    std::vector<double> low;
    std::vector<double> high;
    for (int i = 0; i < 10; ++i) ((mask >> i & 1U) != 0 ? low : high).push_back(i);
    ++total;
    if (rank_sum_p(low, high) <= kSignificance) ++significant;
  }
  EXPECT_EQ(total, 252);
  EXPECT_LE(significant, static_cast<int>(kSignificance * total));
}

}  // namespace
}  // namespace instar::engine
