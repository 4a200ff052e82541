#include <gtest/gtest.h>

#include "tests/support/loop_world.h"

namespace instar::engine {
namespace {

using testing::all_records;
using testing::MemoryJournal;
using testing::World;

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

}  // namespace
}  // namespace instar::engine
