#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"

namespace instar {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return fail(ErrorCode::kInvalidInput, "odd", "take an even one");
  return number / 2;
}

Result<std::string> quarter(int number) {
  const int first = INSTAR_TRY(half(number));
  return std::to_string(INSTAR_TRY(half(first)));
}

Result<void> only_even(int number, int& reached) {
  INSTAR_CHECK(half(number));
  reached = number;
  return {};
}

TEST(Result, TryHandsOnTheValueOrTheError) {
  EXPECT_EQ(quarter(12).value(), "3");
  const auto failed = quarter(6);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(failed.error().hint, "take an even one");
}

TEST(Result, CheckStopsAtTheError) {
  int reached = 0;
  EXPECT_TRUE(only_even(4, reached));
  EXPECT_FALSE(only_even(5, reached));
  EXPECT_EQ(reached, 4);
}

TEST(Error, SystemErrorSaysWhatAndWhy) {
  const Error error = Error::system("cannot open x", ENOENT);
  EXPECT_EQ(error.sys_errno, ENOENT);
  EXPECT_EQ(error.message.find("cannot open x"), 0U);
  EXPECT_NE(error.message.find("No such file"), std::string::npos);
}

TEST(Error, WhileDoingKeepsCodeAndHint) {
  const Error error =
      Error{.code = ErrorCode::kRefused, .message = "no", .hint = "ask"}.while_doing("reading y");
  EXPECT_EQ(error.message, "reading y: no");
  EXPECT_EQ(error.code, ErrorCode::kRefused);
  EXPECT_EQ(error.hint, "ask");
}

TEST(FormatUtc, IsSortableWithMilliseconds) {
  using std::chrono::milliseconds;
  const std::chrono::system_clock::time_point epoch{};
  EXPECT_EQ(format_utc(epoch), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_utc(epoch + milliseconds(951'782'399'007)), "2000-02-28T23:59:59.007Z");
}

}  // namespace
}  // namespace instar
