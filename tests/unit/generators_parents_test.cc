#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/generator_world.h"

namespace instar::engine {
namespace {

using testing::HasSubstr;
using testing_support::Files;
using testing_support::World;

TEST(Mutate, FollowsTheNewBestThenReturnsToTheOthers) {
  World world(Files{{"a.py", "def f(a, b):\n    return a < b\n\ndef g(a):\n    return a + 1\n"}});
  const auto first = world.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->parent, "base");
  const std::string changed = world.apply(*first);
  const checkpoints::TreeChange change{"a.py", changed};
  const auto tree = world.store.with_changes(world.base, {&change, 1});
  ASSERT_TRUE(tree);
  Evaluation better;
  const Parent best{"v1", *tree, &better};
  std::vector<std::string> parents;
  for (auto one = world.next({best}); one; one = world.next({best})) parents.push_back(one->parent);
  ASSERT_FALSE(parents.empty());
  EXPECT_EQ(parents.front(), "v1");
  EXPECT_EQ(parents.back(), "base") << "when the best is exhausted, the next one goes on";
  EXPECT_TRUE(std::is_sorted(parents.rbegin(), parents.rend()));
}

TEST(Mutate, EditsTriedAtAnotherParentGetATurnInThree) {
  const std::string untouched = "def g(a, b):\n    return a + b\n";
  World world(Files{{"a.py", untouched}, {"b.py", "def f(a, b):\n    return a < b\n"}});
  std::set<std::string> tried;
  for (const auto& one : world.all(10)) {
    if (std::get<SyntaxEdit>(one.edits.at(0)).path == "a.py") tried.insert(one.purpose);
  }
  const checkpoints::TreeChange change{"b.py", "def f(a, b):\n    return a <= b or b\n"};
  const auto tree = world.store.with_changes(world.base, {&change, 1});
  Evaluation better;
  std::vector<bool> again;
  for (auto one = world.next({{"v1", *tree, &better}}); one && one->parent == "v1";
       one = world.next({{"v1", *tree, &better}})) {
    const bool unchanged = std::get<SyntaxEdit>(one->edits.at(0)).path == "a.py";
    again.push_back(unchanged && tried.contains(one->purpose));
  }
  const auto fresh_end = std::find(again.rbegin(), again.rend(), false).base();
  const auto early = std::count(again.begin(), fresh_end, true);
  EXPECT_GT(early, 0) << "one may be the second half of a repair";
  EXPECT_LE(early, 1 + (fresh_end - again.begin()) / 3);
  EXPECT_EQ(std::count(again.begin(), again.end(), true), static_cast<long>(tried.size()))
      << "none is lost";
}

TEST(Mutate, TheSearchAtTheBestIsNotSwayedByWhatOthersTry) {
  std::string source;
  for (int i = 0; i < 12; ++i) {
    source += "def f" + std::to_string(i) + "(a, b):\n    c = a + b\n    return c < a - b\n\n";
  }
  const auto best_sequence = [&](bool beside_others) {
    World world(Files{{"a.py", source}, {"b.py", "x = 1\n"}});
    const TestId failing{"test", "", "one"};
    world.base_evaluation.tests[failing] = TestOutcome::kFailed;
    const checkpoints::TreeChange change{"b.py", "x = 2\n"};
    const Parent best{"v1", *world.store.with_changes(world.base, {&change, 1}),
                      &world.base_evaluation};
    std::vector<std::string> made;
    while (made.size() < 240) {
      const auto one = beside_others ? world.next({best})
                                     : *world.generator->next({{best}}, RandomStream(1, "test", 0));
      if (!one) break;
      if (one->parent == "v1") {
        made.push_back(one->purpose);
        continue;
      }
      Evaluation told;
      told.verdict = Verdict::kFailed;
      told.tests[failing] = TestOutcome::kTimeout;
      world.generator->observe({&*one, "rejected", &told});
    }
    return made;
  };
  const auto alone = best_sequence(false);
  EXPECT_EQ(alone.size(), 240U);
  EXPECT_EQ(best_sequence(true), alone);
}

TEST(Mutate, EditsThatGainedApartMeetAtTheNewBest) {
  World world(Files{{"a.py", "def f(a, b):\n    return a < b\n\ndef g(a):\n    return a + 1\n"}});
  std::optional<Proposal> in_f;
  std::optional<Proposal> in_g;
  const Evaluation told;
  while (!in_f || !in_g) {
    const auto one = world.next();
    ASSERT_TRUE(one);
    const bool f = std::get<SyntaxEdit>(one->edits.at(0)).begin < 30;
    std::optional<Proposal>& kept = f ? in_f : in_g;
    if (!kept) kept = one;
    // Both were better than the base; every other edit was worse.
    world.generator->observe(
        {&*one, kept->purpose == one->purpose ? "accepted" : "rejected", &told});
  }
  const checkpoints::TreeChange change{"a.py", world.apply(*in_f)};
  const auto tree = world.store.with_changes(world.base, {&change, 1});
  const auto next = world.next({{"v1", *tree, &told}});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->parent, "v1");
  EXPECT_EQ(next->provenance.fingerprint, in_g->provenance.fingerprint);
  const auto& edit = std::get<SyntaxEdit>(next->edits.at(0));
  EXPECT_EQ(change.content->substr(edit.begin, edit.end - edit.begin), edit.expected);
}

}  // namespace
}  // namespace instar::engine
