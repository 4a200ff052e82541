#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/random.h"

namespace instar {
namespace {

std::vector<std::uint64_t> draws(RandomStream stream, int count) {
  std::vector<std::uint64_t> values;
  for (int i = 0; i < count; ++i) values.push_back(stream.next());
  return values;
}

// A run is reproducible only while a key keeps its stream: values from an independent
// implementation of SHA-256 keyed xoshiro256**.
TEST(RandomStream, KeepsTheStreamOfAKey) {
  EXPECT_EQ(draws({1, "mutate", 0}, 4),
            (std::vector<std::uint64_t>{0x99cf36998f03a381, 0x2c9e740b8d2bb7fb, 0x6b39286eccac3d88,
                                        0x985ecf1f6e523aa0}));
}

TEST(RandomStream, EveryPartOfTheKeyChangesTheStream) {
  const auto stream = draws({1, "mutate", 7}, 8);
  EXPECT_EQ(draws({1, "mutate", 7}, 8), stream);
  EXPECT_NE(draws({2, "mutate", 7}, 8), stream);
  EXPECT_NE(draws({1, "select", 7}, 8), stream);
  EXPECT_NE(draws({1, "mutate", 8}, 8), stream);
}

TEST(RandomStream, BelowReachesEveryValueAboutEquallyOften) {
  RandomStream stream(3, "below", 0);
  std::array<int, 6> seen{};
  for (int i = 0; i < 60'000; ++i) ++seen.at(stream.below(seen.size()));
  // Standard deviation 91: six of them make a false alarm one in a hundred million.
  for (const int count : seen) EXPECT_NEAR(count, 10'000, 550);
}

RC_GTEST_PROP(RandomStreamProperty, DrawsStayInRange, (std::uint64_t seed, std::uint64_t bound)) {
  RC_PRE(bound > 0U);
  RandomStream stream(seed, "range", 0);
  RC_ASSERT(stream.below(bound) < bound);
  const double unit = stream.unit();
  RC_ASSERT(unit >= 0.0);
  RC_ASSERT(unit < 1.0);
}

TEST(RandomHex, HasTwoDigitsAByteAndDoesNotRepeat) {
  const std::string hex = random_hex(16);
  EXPECT_EQ(hex.size(), 32U);
  EXPECT_EQ(hex.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(random_hex(16), hex);
}

}  // namespace
}  // namespace instar
