#include <gtest/gtest.h>

#include "cli/terminal.h"

namespace instar::cli {
namespace {

TEST(Terminal, ALineThatIsCutSaysSo) {
  EXPECT_EQ(fitted("src/stack.c:43", 14), "src/stack.c:43");
  EXPECT_EQ(fitted("src/stack.c:43", 13), "src/stack.c:…") << "never a number that is another one";
  EXPECT_EQ(fitted("abc", 1), "…");
  EXPECT_EQ(fitted("abc", 0), "");
}

TEST(Terminal, ColumnsAreCharactersNotBytes) {
  EXPECT_EQ(fitted("größer", 6), "größer");
  EXPECT_EQ(fitted("größer", 5), "größ…");
  EXPECT_EQ(fitted("a\xff\xff"
                   "b",
                   3),
            "a\xff…")
      << "what is no UTF-8 takes a column a byte";
}

}  // namespace
}  // namespace instar::cli
