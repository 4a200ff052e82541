#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/manual.h"

namespace instar::cli {
namespace {

TEST(Manual, FillsParagraphsAndItems) {
  EXPECT_EQ(shown_manual(
                "# instar x\n\none two\nthree four\n\n- `--a`: first second\n  third\n- b\n", 14),
            "# instar x\n\none two three\nfour\n\n- `--a`: first\n  second third\n- b\n");
}

TEST(Manual, ExamplesAndHeadingsStayAsTheyAre) {
  const std::string text = "## A long heading\n\n    instar   log   --all\n    instar log\n";
  EXPECT_EQ(shown_manual(text, 8), text);
}

TEST(Manual, CharactersAreCountedAndLongWordsStayWhole) {
  EXPECT_EQ(shown_manual("ää ää ää\n", 5), "ää ää\nää\n");
  EXPECT_EQ(shown_manual("a abcdefgh b\n", 4), "a\nabcdefgh\nb\n");
}

TEST(Manual, EveryLineOfEveryManualStaysBelowAHundred) {
  for (const Command& command : commands()) {
    const std::string shown = shown_manual(command.manual, 80);
    for (const std::string_view line : split(shown, '\n')) {
      EXPECT_LT(line.size(), 100U) << command.name << ": " << line;
    }
  }
}

}  // namespace
}  // namespace instar::cli
