#include <gtest/gtest.h>

#include <algorithm>

#include "engine/run/loop.h"
#include "tests/support/fake_store.h"
#include "tests/support/loop_fakes.h"

namespace instar::engine {
namespace {

using checkpoints::FakeStore;
using testing::MemoryJournal;
using testing::NumberEvaluator;
using testing::NumberGenerator;

/// One whole run of the number search, on fakes: no process, no disk.
struct World {
  explicit World(long start = 0, long goal = 200)
      : base(store.add_tree(
            {{.path = "src/n", .content = std::to_string(start) + "\n", .mode = {}}})),
        base_commit(store.add_commit(base)),
        evaluator(store, goal),
        generator(store) {}

  Result<RunResult> run() {
    Surface surface;
    surface.allow = {{.value = "src/**", .source = "instar.yaml:2"}};
    EditWindow window(surface, store, base);
    baseline.evaluation = evaluator.show(base, 0);
    config.identity = {"r1", base_commit, "00", "guarded"};
    config.base_tree = base;
    config.objectives = {{.goal = {}, .metric = "tests.failed", .noise = {}, .until = 0}};
    Loop loop(config,
              {.proposing = {.generator = generator,
                             .window = window,
                             .store = store,
                             .journal = journal,
                             .render_patch = [](const auto&, const auto&) -> Result<std::string> {
                               return std::string("patch");
                             }},
               .evaluator = evaluator,
               .clock = clock,
               .observer = observer},
              baseline, {.drain = drain.get_token(), .kill = kill.get_token()});
    return loop.run();
  }

  FakeStore store;
  checkpoints::TreeId base;
  checkpoints::CommitId base_commit;
  NumberEvaluator evaluator;
  NumberGenerator generator;
  MemoryJournal journal;
  SystemClock clock;
  RunObserver observer;
  Baseline baseline;
  LoopConfig config;
  std::stop_source drain;
  std::stop_source kill;
};

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

/// All records of a run after its last stretch.
std::vector<MemoryJournal::Entry> all_records(const World& world) {
  std::vector<MemoryJournal::Entry> all = world.journal.earlier;
  all.insert(all.end(), world.journal.entries.begin(), world.journal.entries.end());
  return all;
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

/// A run that went to its end, then back to an earlier champion, as the record tells it.
struct RolledBackRun {
  explicit RolledBackRun(unsigned jobs) {
    World first;
    first.config.jobs = jobs;
    first.config.limits.variants = 30;
    EXPECT_TRUE(first.run());
    records = all_records(first);
    std::vector<std::string> champions;
    for (const auto& entry : records) {
      if (entry.type == "champion") champions.push_back(entry.id);
      rollback.results += entry.type == "judged" ? 1U : 0U;
      rollback.proposals +=
          entry.type == "admitted" || entry.type == "refused" || entry.type == "duplicate" ? 1U
                                                                                           : 0U;
    }
    EXPECT_GE(champions.size(), 3U);
    left_behind = champions.back();
    rollback.variant = champions[champions.size() - 2];
    records.push_back({"rollback", "1", {{"variant", rollback.variant}}});
  }

  std::vector<MemoryJournal::Entry> records;
  PastRollback rollback;
  std::string left_behind;  ///< the champion before
};

/// Fills a new world's store with the trees and refs of the record by doing the run again, then
/// goes on.
Result<RunResult> go_on(World& world, const std::vector<MemoryJournal::Entry>& records,
                        const PastRollback& rollback, std::uint64_t variants, unsigned jobs) {
  world.journal.earlier = records;
  world.config.rollbacks = {rollback};
  world.config.limits.variants = variants;
  world.config.jobs = jobs;
  return world.run();
}

/// The parent that a variant was admitted with.
std::string parent_of(const std::vector<MemoryJournal::Entry>& records, const std::string& id) {
  for (const auto& entry : records) {
    if (entry.type == "admitted" && entry.fields.at("variant") == id) {
      return entry.fields.at("parents").at(0);
    }
  }
  return "";
}

TEST(Loop, GoesOnFromWhereItWasRolledBackTo) {
  const RolledBackRun past(3);
  World world;
  const auto result = go_on(world, past.records, past.rollback, 80, 3);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_TRUE(result->champion);
  EXPECT_GT(result->counters.evaluated, 30U);
  // The champion descends from the one rolled back to, never from the one that was left behind.
  const auto records = all_records(world);
  std::string at = result->champion->variant.id;
  bool through = false;
  while (!at.empty() && at != kBaseId) {
    EXPECT_NE(at, past.left_behind);
    through = through || at == past.rollback.variant;
    at = parent_of(records, at);
  }
  EXPECT_TRUE(through);
}

TEST(Loop, ComesToTheSameEndWhereverARolledBackRunIsCut) {
  const RolledBackRun past(2);
  World undisturbed;
  const auto expected = go_on(undisturbed, past.records, past.rollback, 80, 1);
  ASSERT_TRUE(expected) << expected.error().message;
  const auto records = all_records(undisturbed);
  for (std::size_t cut = past.records.size(); cut < records.size();
       cut += (records.size() - past.records.size()) / 6 + 1) {
    World resumed;
    const auto result = go_on(resumed, {records.begin(), records.begin() + static_cast<long>(cut)},
                              past.rollback, 80, 4);
    ASSERT_TRUE(result) << cut << ": " << result.error().message;
    EXPECT_EQ(result->counters, expected->counters) << cut;
    EXPECT_EQ(result->champion->variant.id, expected->champion->variant.id) << cut;
  }
}

TEST(Loop, ASolvedRunThatWasRolledBackSearchesOn) {
  World first;
  const auto solved_once = first.run();
  ASSERT_TRUE(solved_once && solved_once->solved);
  auto records = all_records(first);
  PastRollback rollback;
  for (const auto& entry : records) {
    if (entry.type == "champion" && rollback.variant.empty()) rollback.variant = entry.id;
    rollback.results += entry.type == "judged" ? 1U : 0U;
    rollback.proposals += entry.type == "admitted" || entry.type == "duplicate" ? 1U : 0U;
  }
  records.push_back({"rollback", "1", {{"variant", rollback.variant}}});
  World world;
  const auto result = go_on(world, records, rollback, 1000, 2);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_GT(result->counters.evaluated, solved_once->counters.evaluated);
  EXPECT_NE(result->champion->variant.id, solved_once->champion->variant.id);
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
