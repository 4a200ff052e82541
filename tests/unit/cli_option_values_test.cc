#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/option_values.h"

namespace instar::cli {
namespace {

using ::testing::HasSubstr;

TEST(OptionValues, ADurationOfNothingIsOutOfRangeNotMisspelt) {
  for (const char* none : {"0s", "0ms", "0.0h"}) {
    const auto value = duration_value("--wall", none);
    ASSERT_FALSE(value) << none;
    EXPECT_THAT(value.error().message, HasSubstr("out of range")) << none;
  }
  EXPECT_THAT(duration_value("--wall", "10").error().message, HasSubstr("is not a duration"));
  EXPECT_TRUE(duration_value("--wall", "1ms"));
}

TEST(OptionValues, ANumberIsWholeAndInItsRange) {
  for (const char* bad : {"x", "-1", "", "1.5", "18446744073709551616"}) {
    const auto value = whole_number("-n", bad);
    ASSERT_FALSE(value) << bad;
    EXPECT_THAT(value.error().message, HasSubstr("not a whole number from 0")) << bad;
  }
  EXPECT_THAT(positive_number("--jobs", "0").error().message, HasSubstr("would run nothing"));
  EXPECT_THAT(positive_number("--jobs", "-1").error().message,
              HasSubstr("not a whole number from 1"));
  EXPECT_THAT(positive_number("--jobs", "9", 8).error().message, HasSubstr("out of range"));
  EXPECT_EQ(positive_number("--jobs", "8", 8).value(), 8U);
  EXPECT_EQ(positive_number("--jobs", std::nullopt).value(), std::nullopt);
}

}  // namespace
}  // namespace instar::cli
