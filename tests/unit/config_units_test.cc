#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/config/units.h"

namespace instar::engine {
namespace {

using namespace std::chrono_literals;

TEST(ConfigUnits, ReadsDurations) {
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("60s"), 60s);
  EXPECT_EQ(parse_duration("5m"), 5min);
  EXPECT_EQ(parse_duration("8h"), 8h);
}

TEST(ConfigUnits, ReadsSizes) {
  EXPECT_EQ(parse_size("512B"), 512U);
  EXPECT_EQ(parse_size("1.5KiB"), 1536U);
  EXPECT_EQ(parse_size("256MiB"), 256ULL << 20);
  EXPECT_EQ(parse_size("2GiB"), 2ULL << 30);
}

TEST(ConfigUnits, RefusesOtherForms) {
  for (const char* text :
       {"", "s", "60", "-1s", "+1s", "1e3s", " 1s", "1s ", "1.s", ".5s", "1.2.3s", "1sec", "1S",
        "infs", "nans", "0x10s", "99999999999999999999h"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
  for (const char* text : {"", "GiB", "2GB", "2G", "2gib", "-2GiB", "1e9B", "99999999999999TiB"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
  for (const char* text : {"", "-1", "+1", "1.0", "0x1", "1 ", "18446744073709551616"}) {
    EXPECT_FALSE(parse_count(text)) << text;
  }
  for (const char* text : {"", "-0.1", "inf", "nan", "1e3", ".5", "5.", "1,5", "10%%"}) {
    EXPECT_FALSE(parse_relative(text)) << text;
  }
}

TEST(ConfigUnits, ReadsRelativeNumbers) {
  EXPECT_EQ(parse_relative("0.10"), 0.10);
  EXPECT_EQ(parse_relative("10%"), 0.10);
  EXPECT_EQ(parse_count("18446744073709551615"), UINT64_MAX);
}

RC_GTEST_PROP(ConfigUnits, WhatIsShownReadsBackTheSame, ()) {
  const auto value = *rc::gen::inRange<std::uint64_t>(0, 1ULL << 52);
  RC_ASSERT(parse_size(show_size(value)) == value);
  const auto time = std::chrono::milliseconds(value);
  RC_ASSERT(parse_duration(show_duration(time)) == time);
  const double number = static_cast<double>(value) / 1024;
  RC_ASSERT(parse_number(show_number(number)) == number);
}

RC_GTEST_PROP(ConfigUnits, AnyTextIsReadOrRefused, (const std::string& text)) {
  if (const auto size = parse_size(text)) RC_ASSERT(parse_size(show_size(*size)) == size);
  if (const auto time = parse_duration(text))
    RC_ASSERT(parse_duration(show_duration(*time)) == time);
}

}  // namespace
}  // namespace instar::engine
