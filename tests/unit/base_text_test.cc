#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace instar {
namespace {

using testing::ElementsAre;

TEST(Split, GivesEveryPart) {
  EXPECT_THAT(split("a/b/c", '/'), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split("", '/'), ElementsAre(""));
  EXPECT_THAT(split("//", '/'), ElementsAre("", "", ""));
}

RC_GTEST_PROP(SplitProperty, JoinTurnsItBack, (const std::string& text)) {
  std::vector<std::string> parts;
  for (const auto part : split(text, ',')) parts.emplace_back(part);
  RC_ASSERT(join(parts, ",") == text);
}

TEST(Trim, DropsSpaceAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
}

TEST(EscapeForTerminal, ShowsEscapeSequences) {
  EXPECT_EQ(escape_for_terminal("\x1b[2Jgone"), "\\x1b[2Jgone");
  EXPECT_EQ(escape_for_terminal("a\rb\x7f"), "a\\x0db\\x7f");
  EXPECT_EQ(escape_for_terminal("\xc2\x9b"
                                "2J"),
            "\\x9b"
            "2J");  // the one-character form of ESC [
}

TEST(EscapeForTerminal, ShowsWhatReordersOrHidesText) {
  EXPECT_EQ(escape_for_terminal("a\u202Eb"), "a\\u{202e}b");
  EXPECT_EQ(escape_for_terminal("a\u2066b"), "a\\u{2066}b");
  EXPECT_EQ(escape_for_terminal("a\u200Bb"), "a\\u{200b}b");
  EXPECT_EQ(escape_for_terminal("\uFEFFa"), "\\u{feff}a");
}

TEST(EscapeForTerminal, ShowsInvalidUtf8ByteByByte) {
  EXPECT_EQ(escape_for_terminal("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(escape_for_terminal("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(escape_for_terminal("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(escape_for_terminal("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(EscapeForTerminal, KeepsHonestText) {
  EXPECT_EQ(escape_for_terminal("plain é € 🦋"), "plain é € 🦋");
  EXPECT_EQ(escape_for_terminal("two\nlines\t.", true), "two\nlines\t.");
  EXPECT_EQ(escape_for_terminal("two\nlines", false), "two\\x0alines");
}

RC_GTEST_PROP(EscapeForTerminalProperty, LeavesNoControlByte, (const std::string& text)) {
  const std::string shown = escape_for_terminal(text);
  RC_ASSERT(std::none_of(shown.begin(), shown.end(),
                         [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }));
  RC_ASSERT(escape_for_terminal(shown) == shown);
}

TEST(DidYouMean, FindsTheTypoAndNothingFarAway) {
  const std::vector<std::string> verbs{"evolve", "diff", "log", "lineage"};
  EXPECT_EQ(did_you_mean("evolv", verbs), "evolve");
  EXPECT_EQ(did_you_mean("evovle", verbs), "evolve");
  EXPECT_EQ(did_you_mean("lag", verbs), "log");
  EXPECT_EQ(did_you_mean("lgo", verbs), "log") << "two letters that changed places are one mistake";
  EXPECT_EQ(did_you_mean("banana", verbs), "");
  EXPECT_EQ(did_you_mean("", verbs), "");
  EXPECT_EQ(did_you_mean(std::string(100'000, 'e'), verbs), "");
}

TEST(ShellQuoted, IsOneWordOfAShell) {
  EXPECT_EQ(shell_quoted("/tmp/a-b_c.d/e"), "/tmp/a-b_c.d/e");
  EXPECT_EQ(shell_quoted("/tmp/py pröj"), "'/tmp/py pröj'");
  EXPECT_EQ(shell_quoted("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace instar
