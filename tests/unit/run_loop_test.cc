#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/loop_world.h"

namespace instar::engine {
namespace {

using checkpoints::FakeStore;
using testing::all_records;
using testing::MemoryJournal;
using testing::NumberEvaluator;
using testing::NumberGenerator;
using testing::World;

TEST(Loop, SolvesAndMakesTheSolutionChampion) {
  World world;
  const auto result = world.run();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->solved);
  EXPECT_EQ(result->ended, Ended::kSolved);
  ASSERT_TRUE(result->champion);
  EXPECT_EQ(result->champion->evaluation.metrics.at("tests.failed"), 0);
  const auto refs = world.store.refs("refs/instar/r1/").value();
  ASSERT_FALSE(refs.empty());
  EXPECT_EQ(refs[0].name, "refs/instar/r1/champion");
  EXPECT_EQ(refs[0].target_hex, result->champion->commit.hex());
  EXPECT_EQ(refs.size(), result->counters.accepted + 1);
}

TEST(Loop, GivesTheSameDecisionsAndCountersWhateverTheJobs) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    World one;
    one.config.seed = seed;
    const auto serial = one.run();
    ASSERT_TRUE(serial);
    for (const unsigned jobs : {2U, 4U, 16U}) {
      World many;
      many.config.seed = seed;
      many.config.jobs = jobs;
      // The time of a record is the clock's; every other field must be the same.
      const auto parallel = many.run();
      ASSERT_TRUE(parallel);
      EXPECT_EQ(parallel->counters, serial->counters) << "jobs " << jobs << " seed " << seed;
      EXPECT_EQ(parallel->champion->variant.tree, serial->champion->variant.tree);
      const auto a = one.journal.decisions();
      const auto b = many.journal.decisions();
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].type, b[i].type);
        EXPECT_EQ(a[i].id, b[i].id);
      }
    }
  }
}

TEST(Loop, LeavesNoTreeInMemoryThatWasNotAccepted) {
  World world;
  ASSERT_TRUE(world.run());
  EXPECT_LE(world.store.trees_in_memory(), 1U);  // of a variant dropped when the run ended
}

TEST(Loop, NeverPaysTwiceForATree) {
  World world;
  world.generator.steps = {1, -1};
  world.config.limits.variants = 60;
  const auto result = world.run();
  ASSERT_TRUE(result);
  EXPECT_GT(result->counters.duplicate, 0U);
  EXPECT_EQ(result->counters.generated, result->counters.evaluated + result->counters.duplicate);
  EXPECT_EQ(static_cast<std::uint64_t>(world.evaluator.evaluations), result->counters.evaluated);
}

TEST(Loop, StopsAtTheUsersLimitAndAtTheCapByTheirNames) {
  for (const bool is_cap : {false, true}) {
    World world(0, 100000);
    world.config.limits.variants = 7;
    world.config.limits.variants_is_cap = is_cap;
    world.config.jobs = 4;
    const auto result = world.run();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->ended, is_cap ? Ended::kCap : Ended::kVariants);
    EXPECT_EQ(result->counters.evaluated, 7U);
    EXPECT_FALSE(result->solved);
  }
}

TEST(Loop, TripsTheStuckBreakerOnDuplicates) {
  World world;
  world.generator.steps = {5};
  world.evaluator.verdicts[5] = Verdict::kFailed;  // no metrics: never better
  world.config.limits.breakers.stuck = 10;
  const auto result = world.run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->ended, Ended::kBreaker);
  ASSERT_TRUE(result->breaker);
  EXPECT_EQ(result->breaker->rule, "stuck");
  EXPECT_EQ(result->counters.evaluated, 1U);
  EXPECT_EQ(result->counters.duplicate, 10U);
}

TEST(Loop, TripsTheViolationsBreakerOnRefusals) {
  World world;
  world.generator.path = ".git/hooks/post-checkout";
  const auto result = world.run();
  ASSERT_TRUE(result);
  ASSERT_TRUE(result->breaker);
  EXPECT_EQ(result->breaker->rule, "violations");
  EXPECT_EQ(result->counters.refused, world.config.limits.breakers.violations);
  EXPECT_EQ(result->counters.evaluated, 0U);
  EXPECT_EQ(world.store.trees_in_memory(), 0U);
}

TEST(Loop, RetriesAnInfraFaultOnceAndTripsWhenTheyGoOn) {
  World world;
  for (const long step : world.generator.steps) world.evaluator.verdicts[step] = Verdict::kInfra;
  const auto result = world.run();
  ASSERT_TRUE(result);
  ASSERT_TRUE(result->breaker);
  EXPECT_EQ(result->breaker->rule, "infra");
  EXPECT_EQ(result->counters.evaluated, 0U);
  EXPECT_EQ(result->counters.violated, 0U);
}

TEST(Loop, CountsWorseVariantsAsHonestSearch) {
  World world(0, -1000);
  world.generator.limit = 300;
  world.config.limits.breakers = {.stuck = 400, .violations = 2, .infra = 2};
  world.generator.steps = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const auto result = world.run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->ended, Ended::kExhausted);
  EXPECT_FALSE(result->champion);
  EXPECT_EQ(result->counters.evaluated, 16U);
}

TEST(Loop, EndsOnAPlateau) {
  World world(0, -1000);
  world.generator.steps = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  world.config.limits.plateau = 5;
  const auto result = world.run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->ended, Ended::kPlateau);
  EXPECT_EQ(result->counters.evaluated, 5U);
}

TEST(Loop, DrainsWhatRunsWhenAskedToStop) {
  World world(0, 1000000);
  world.drain.request_stop();
  const auto result = world.run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->ended, Ended::kInterrupted);
  EXPECT_EQ(result->counters.evaluated, 0U);
}

TEST(Loop, AnswersASolvedBaseAtOnce) {
  World world(200, 200);
  const auto result = world.run();
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->solved);
  EXPECT_FALSE(result->champion);
  EXPECT_EQ(result->counters.generated, 0U);
}

TEST(Loop, GoesOnFromAnyPrefixOfItsRecordsToTheSameEnd) {
  World whole;
  const auto expected = whole.run();
  ASSERT_TRUE(expected);
  const std::size_t step = whole.journal.entries.size() / 8 + 1;
  for (std::size_t cut = 0; cut <= whole.journal.entries.size(); cut += step) {
    World resumed;
    resumed.config.jobs = 3;
    resumed.journal.earlier.assign(whole.journal.entries.begin(),
                                   whole.journal.entries.begin() + static_cast<long>(cut));
    const auto result = resumed.run();
    ASSERT_TRUE(result) << cut << ": " << result.error().message;
    EXPECT_EQ(result->counters, expected->counters) << "cut after record " << cut;
    EXPECT_EQ(result->champion->variant.id, expected->champion->variant.id);
  }
}

TEST(Loop, GoesOnAgainAfterItWasCutTwice) {
  World whole;
  const auto expected = whole.run();
  ASSERT_TRUE(expected);
  // Cut while a variant ran: its second attempt is the one on record then.
  std::size_t running = 0;
  while (whole.journal.entries[running].type != "running") ++running;
  World second;
  second.journal.earlier.assign(whole.journal.entries.begin(),
                                whole.journal.entries.begin() + static_cast<long>(running) + 1);
  ASSERT_TRUE(second.run());
  const auto records = all_records(second);
  World third;
  third.journal.earlier.assign(records.begin(), records.end() - 3);
  const auto result = third.run();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->counters, expected->counters);
  EXPECT_EQ(result->champion->variant.id, expected->champion->variant.id);
}

TEST(Loop, KeepsTheRecordOfAHostileReportSmall) {
  World world;
  world.evaluator.added_tests = 5000;
  world.config.limits.variants = 3;
  ASSERT_TRUE(world.run());
  for (const auto& entry : world.journal.entries) {
    EXPECT_LT(entry.fields.dump().size(), 8U << 10) << entry.type;
  }
}

TEST(Loop, TellsOfEachAcceptedVariantOnce) {
  struct Listener final : RunObserver {
    void on_accepted(const Accepted& accepted, const std::string& /*why*/) override {
      told.push_back(accepted.variant.id);
    }
    std::vector<std::string> told;
  };
  Listener first;
  World whole;
  whole.told = &first;
  const auto ended = whole.run();
  ASSERT_TRUE(ended);
  EXPECT_EQ(first.told.size(), ended->counters.accepted);

  Listener second;
  World resumed;
  resumed.told = &second;
  go_on_from(resumed, whole, true);
  const auto again = resumed.run();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->counters.accepted, ended->counters.accepted);
  EXPECT_TRUE(second.told.empty()) << "a replay is no news";
}

TEST(Loop, ARecordWithoutItsFieldsIsAnErrorNotACrash) {
  World whole;
  ASSERT_TRUE(whole.run());
  for (const char* field : {"attempt", "infra_attempts", "time_s", "evaluation"}) {
    World resumed;
    resumed.journal.earlier = whole.journal.entries;
    for (auto& entry : resumed.journal.earlier) {
      if (entry.type == "judged") entry.fields[field] = "x";
    }
    const auto result = resumed.run();
    ASSERT_FALSE(result) << field;
    EXPECT_EQ(result.error().code, ErrorCode::kIntegrity) << field;
  }
}

TEST(Loop, RecordsNoContestThatAFaultOfOursCutOff) {
  const auto contests = [](const World& world) {
    return std::count_if(world.journal.entries.begin(), world.journal.entries.end(),
                         [](const MemoryJournal::Entry& entry) { return entry.type == "contest"; });
  };
  World sound;
  sound.config.noisy = true;
  ASSERT_TRUE(sound.run());
  EXPECT_GT(contests(sound), 0);

  World broken;
  broken.config.noisy = true;
  broken.evaluator.broken_slot = 1;  // the one beyond the single job, where champions are met
  const auto result = broken.run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kIo);
  EXPECT_EQ(contests(broken), 0);
}

TEST(Loop, GivesItsErrorAndKeepsWhatWasAcceptedWhenTheDiskIsFull) {
  World world;
  int commits = 0;
  world.store.before_write = [&](const std::string& call) -> Result<void> {
    if (call == "commit" && ++commits == 2) return fail(Error::system("cannot write", ENOSPC));
    return {};
  };
  const auto result = world.run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().sys_errno, ENOSPC);
  EXPECT_EQ(world.store.refs("refs/instar/r1/").value().size(), 2U);  // champion and the first
}

}  // namespace
}  // namespace instar::engine
