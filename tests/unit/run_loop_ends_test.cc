#include <gtest/gtest.h>

#include "tests/support/loop_world.h"

// Where a stretch of a run ends, and what the next one makes of it.

namespace instar::engine {
namespace {

using testing::go_on_from;
using testing::World;

TEST(LoopEnds, AGeneratorThatHasNothingIsAskedEquallyOftenWhateverTheJobs) {
  World serial(0, 1000000);
  serial.generator.limit = 12;
  const auto expected = serial.run();
  ASSERT_TRUE(expected);
  EXPECT_EQ(expected->ended, Ended::kExhausted);
  for (const unsigned jobs : {2U, 8U}) {
    World parallel(0, 1000000);
    parallel.generator.limit = 12;
    parallel.config.jobs = jobs;
    ASSERT_TRUE(parallel.run());
    EXPECT_EQ(parallel.generator.calls, serial.generator.calls) << jobs;
  }
  World replay(0, 1000000);
  replay.generator.limit = 12;
  go_on_from(replay, serial, false);
  ASSERT_TRUE(replay.run());
  EXPECT_EQ(replay.generator.calls, serial.generator.calls);
}

TEST(LoopEnds, AnInterruptDuringTheReplayKeepsWhatIsOnRecord) {
  World first(0, 1000000);
  first.config.limits.variants = 20;
  const auto expected = first.run();
  ASSERT_TRUE(expected);
  ASSERT_TRUE(expected->champion);
  World second(0, 1000000);
  go_on_from(second, first, true);
  second.config.limits.variants = 40;
  second.drain.request_stop();
  second.kill.request_stop();
  const auto result = second.run();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->ended, Ended::kInterrupted);
  EXPECT_EQ(result->counters.evaluated, 20U);
  EXPECT_EQ(second.evaluator.evaluations, 0) << "nothing new is begun";
  ASSERT_TRUE(result->champion);
  EXPECT_EQ(result->champion->variant.id, expected->champion->variant.id);
}

TEST(LoopEnds, ABreakerThatEndedAStretchLetsTheNextOneGoOn) {
  World first;
  for (const long step : first.generator.steps) first.evaluator.verdicts[step] = Verdict::kInfra;
  const auto tripped = first.run();
  ASSERT_TRUE(tripped);
  ASSERT_TRUE(tripped->breaker);

  World mended;
  go_on_from(mended, first, true);
  const auto result = mended.run();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->breaker);
  EXPECT_GT(result->counters.evaluated, 0U);

  World cut_off;
  go_on_from(cut_off, first, false);
  const auto same = cut_off.run();
  ASSERT_TRUE(same) << same.error().message;
  ASSERT_TRUE(same->breaker) << "a kill between the fault and the end changes nothing";
  EXPECT_EQ(same->counters, tripped->counters);
}

TEST(LoopEnds, ABreakerTripsAgainOnNewFaults) {
  World first;
  for (const long step : first.generator.steps) first.evaluator.verdicts[step] = Verdict::kInfra;
  ASSERT_TRUE(first.run());
  World second;
  second.evaluator.verdicts = first.evaluator.verdicts;
  go_on_from(second, first, true);
  const auto result = second.run();
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_TRUE(result->breaker);
  EXPECT_GT(second.evaluator.evaluations, 0);
}

TEST(LoopEnds, WhatWasProposedBehindTheLastResultDoesNotCount) {
  for (const unsigned jobs : {1U, 2U}) {
    World world;
    world.generator.steps = {5};
    world.generator.limit = 2;  // the second is a duplicate of the first
    world.evaluator.verdicts[5] = Verdict::kViolated;
    world.config.limits.breakers.violations = 1;
    world.config.jobs = jobs;
    const auto result = world.run();
    ASSERT_TRUE(result);
    ASSERT_TRUE(result->breaker);
    EXPECT_EQ(result->counters.generated, 1U) << "jobs " << jobs;
    EXPECT_EQ(result->counters.duplicate, 0U) << "jobs " << jobs;
  }
}

}  // namespace
}  // namespace instar::engine
