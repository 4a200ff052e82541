#include <gtest/gtest.h>

#include "engine/run/breakers.h"

namespace instar::engine {
namespace {

constexpr BreakerLimits kLimits{.stuck = 4, .violations = 3, .infra = 2};

TEST(Breakers, TripOnConsecutiveViolationsOnly) {
  Breakers breakers(kLimits);
  EXPECT_FALSE(breakers.after_result(0, Verdict::kViolated, 0, "a"));
  EXPECT_FALSE(breakers.after_result(0, Verdict::kViolated, 0, "b"));
  EXPECT_FALSE(
      breakers.after_result(0, Verdict::kFailed, 0, "c"));  // honest: the count begins anew
  EXPECT_FALSE(breakers.after_result(0, Verdict::kViolated, 0, "d"));
  EXPECT_FALSE(breakers.after_result(0, Verdict::kViolated, 0, "e"));
  const auto trip = breakers.after_result(0, Verdict::kViolated, 0, "f");
  ASSERT_TRUE(trip);
  EXPECT_EQ(trip->rule, "violations");
  EXPECT_EQ(trip->detail, "f");
}

TEST(Breakers, AddRefusalsBeforeAVariantToItsViolation) {
  Breakers breakers(kLimits);
  EXPECT_TRUE(breakers.after_result(2, Verdict::kViolated, 0, "x"));
  Breakers fresh(kLimits);
  EXPECT_FALSE(fresh.after_result(2, Verdict::kPassed, 0, "x"));
}

TEST(Breakers, KeepInfrastructureApartFromVariants) {
  Breakers breakers(kLimits);
  EXPECT_FALSE(breakers.after_result(0, Verdict::kInfra, 1, "x"));
  EXPECT_FALSE(breakers.after_result(0, Verdict::kViolated, 0, "x"));  // ends the streak of faults
  EXPECT_FALSE(breakers.after_result(0, Verdict::kInfra, 1, "x"));
  const auto trip = breakers.after_result(0, Verdict::kInfra, 1, "disk");
  ASSERT_TRUE(trip);
  EXPECT_EQ(trip->rule, "infra");
}

TEST(Breakers, TripOnProposalsThatGiveNothing) {
  const Breakers breakers(kLimits);
  EXPECT_FALSE(breakers.while_generating(3, 0, ""));
  ASSERT_TRUE(breakers.while_generating(4, 0, ""));
  EXPECT_EQ(breakers.while_generating(4, 0, "")->rule, "stuck");
  EXPECT_EQ(breakers.while_generating(3, 3, "r")->rule, "violations");
}

}  // namespace
}  // namespace instar::engine
