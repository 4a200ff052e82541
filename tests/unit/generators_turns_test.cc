#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/generators/turns.h"

namespace instar::engine {
namespace {

/// A population whose members fail the named tests, the base last.
class Members {
 public:
  using One = std::pair<std::string, std::vector<std::string>>;
  explicit Members(const std::vector<One>& failing) {
    evaluations_.resize(failing.size());
    for (std::size_t i = 0; i < failing.size(); ++i) {
      for (const std::string& name : failing[i].second) {
        evaluations_[i].tests[{"test", "", name}] = TestOutcome::kFailed;
      }
      state_.population.push_back({failing[i].first, {}, &evaluations_[i]});
    }
  }
  /// The parents of so many proposals in a row.
  std::map<std::string, unsigned> draw(Turns& turns, unsigned times) const {
    std::map<std::string, unsigned> drawn;
    for (unsigned i = 0; i < times; ++i) {
      const std::string& parent = state_.population.at(turns.first(state_)).id;
      turns.drew(parent);
      ++drawn[parent];
    }
    return drawn;
  }
  /// Asks whose turn it is, with nothing proposed.
  void ask(Turns& turns, unsigned times) const {
    for (unsigned i = 0; i < times; ++i) (void)turns.first(state_);
  }

 private:
  std::vector<Evaluation> evaluations_;
  SearchState state_;
};

using Drawn = std::map<std::string, unsigned>;

TEST(Turns, TheBestParentHasThemAllUntilItStalls) {
  Turns turns;
  const Members members({{"v1", {"a"}}, {"base", {"a", "b"}}});
  EXPECT_EQ(members.draw(turns, 120), (Drawn{{"v1", 120}}));
  EXPECT_EQ(members.draw(turns, 100), (Drawn{{"v1", 50}, {"base", 50}}));
}

TEST(Turns, ANewBestParentHasThemAllAgain) {
  Turns turns;
  const Members first({{"v1", {"a"}}, {"base", {"a", "b"}}});
  EXPECT_EQ(first.draw(turns, 130), (Drawn{{"v1", 125}, {"base", 5}}));
  const Members second({{"v2", {}}, {"v1", {"a"}}, {"base", {"a", "b"}}});
  EXPECT_EQ(second.draw(turns, 120), (Drawn{{"v2", 120}}));
}

TEST(Turns, OthersShareByTheTestsThatTheyFail) {
  Turns turns;
  const Members members(
      {{"v1", {"a"}}, {"v2", {"b"}}, {"v3", {"b"}}, {"v4", {"b"}}, {"base", {"a", "b"}}});
  EXPECT_EQ(members.draw(turns, 120), (Drawn{{"v1", 120}}));
  const auto drawn = members.draw(turns, 120);
  EXPECT_EQ(drawn.at("v1"), 60U);
  EXPECT_EQ(drawn.at("base"), 30U);
  EXPECT_EQ(drawn.at("v2"), 10U);
  EXPECT_EQ(drawn.at("v3"), 10U);
  EXPECT_EQ(drawn.at("v4"), 10U);
}

TEST(Turns, AskingInVainChangesNothing) {
  const Members members({{"v1", {"a"}}, {"v2", {"b"}}, {"base", {"a", "b"}}});
  const auto next_after = [&](unsigned asked) {
    Turns turns;
    (void)members.draw(turns, 121);
    members.ask(turns, asked);
    std::vector<Drawn> next;
    for (int i = 0; i < 6; ++i) next.push_back(members.draw(turns, 1));
    return next;
  };
  EXPECT_EQ(next_after(1), next_after(0));
  EXPECT_EQ(next_after(2), next_after(0));
}

TEST(Turns, APopulationOfTheBaseAloneHasOneChoice) {
  Turns turns;
  EXPECT_EQ(Members(std::vector<Members::One>{{"base", {"a"}}}).draw(turns, 500),
            (Drawn{{"base", 500}}));
}

}  // namespace
}  // namespace instar::engine
