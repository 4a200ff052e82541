#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "base/utf8.h"

namespace instar {
namespace {

TEST(DecodeUtf8, TakesTheFirstCharacterOnly) {
  EXPECT_EQ(decode_utf8("aé").length, 1U);
  EXPECT_EQ(decode_utf8("éa").length, 2U);
  EXPECT_EQ(decode_utf8("€").code_point, 0x20ACU);
  EXPECT_EQ(decode_utf8("🦋").length, 4U);
  EXPECT_EQ(decode_utf8("").length, 0U);
}

TEST(DecodeUtf8, RefusesWhatHasAShorterOrNoForm) {
  for (const char* text : {"\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                           "\xf5\x80\x80\x80", "\xe2\x82", "\xe2(\xac"}) {
    EXPECT_EQ(decode_utf8(text).length, 0U) << text;
  }
}

TEST(Clipped, CutsBetweenCharacters) {
  EXPECT_EQ(clipped("abc", 3), "abc");
  EXPECT_EQ(clipped("abc", 2), "ab");
  EXPECT_EQ(clipped("a€b", 4), "a€");
  EXPECT_EQ(clipped("a€b", 3), "a");
  EXPECT_EQ(clipped("€", 2), "");
}

RC_GTEST_PROP(ClippedProperty, IsABeginningOfTheTextWithinTheBound,
              (const std::string& text, std::uint8_t most)) {
  const auto cut = clipped(text, most);
  RC_ASSERT(cut.size() <= most);
  RC_ASSERT(text.starts_with(cut));
}

}  // namespace
}  // namespace instar
