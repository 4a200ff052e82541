#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/edit_window/regions.h"

namespace instar::engine {
namespace {

const std::string kBase =
    "import os\n"
    "# EVOLVE-BLOCK-START\n"
    "x = 1\n"
    "# EVOLVE-BLOCK-END\n"
    "y = 2\n"
    "    # EVOLVE-BLOCK-START second\n"
    "    z = 3\n"
    "    # EVOLVE-BLOCK-END second\n"
    "print(x)\n";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string rule(const std::optional<std::string>& base, const std::optional<std::string>& after) {
  const auto checked = check_regions("f.py", base, after);
  return checked ? "" : checked.error().rule;
}

TEST(EditWindowRegions, ChangesInsideBlocksPass) {
  EXPECT_EQ(rule(kBase, replaced(kBase, "x = 1\n", "x = 10\nw = 4\n")), "");
  EXPECT_EQ(rule(kBase, replaced(kBase, "x = 1\n", "")), "");
  EXPECT_EQ(rule(kBase, replaced(kBase, "    z = 3\n", "    z = 4\r\n")), "");
  EXPECT_EQ(rule(kBase, kBase), "");
}

TEST(EditWindowRegions, ChangesOutsideBlocksAreRefused) {
  EXPECT_EQ(rule(kBase, replaced(kBase, "import os", "import sys")), "region.outside");
  EXPECT_EQ(rule(kBase, replaced(kBase, "y = 2", "y = 3")), "region.outside");
  EXPECT_EQ(rule(kBase, replaced(kBase, "print(x)\n", "print(x)")), "region.outside");
  EXPECT_EQ(rule(kBase, replaced(kBase, "print(x)\n", "")), "region.outside");
  EXPECT_EQ(rule(kBase, " " + kBase), "region.outside");
  EXPECT_EQ(rule(kBase, std::nullopt), "region.outside");
}

TEST(EditWindowRegions, MarkersThemselvesStay) {
  // Moved, renamed, re-indented, with another line ending.
  EXPECT_EQ(
      rule(kBase, replaced(kBase, "# EVOLVE-BLOCK-END\ny = 2\n", "y = 2\n# EVOLVE-BLOCK-END\n")),
      "region.outside");
  EXPECT_EQ(rule(kBase, replaced(kBase, "START second", "START third")), "region.marker");
  EXPECT_EQ(rule(kBase, replaced(kBase, "# EVOLVE-BLOCK-START\n", " # EVOLVE-BLOCK-START\n")),
            "region.outside");
  EXPECT_EQ(rule(kBase, replaced(kBase, "# EVOLVE-BLOCK-END\n", "# EVOLVE-BLOCK-END\r\n")),
            "region.outside");
  EXPECT_EQ(rule(kBase, replaced(kBase, "x = 1\n", "x = 1  ")), "region.marker");
  // A block without its last newline would glue the marker to code.
  EXPECT_EQ(rule(kBase, replaced(kBase, "x = 1\n", "   ")), "region.outside");
}

TEST(EditWindowRegions, ForgedMarkersAreRefused) {
  // An early end, so that what follows would count as outside later on; then a new start.
  EXPECT_EQ(
      rule(kBase, replaced(kBase, "x = 1\n", "x = 1\n# EVOLVE-BLOCK-END\n# EVOLVE-BLOCK-START\n")),
      "region.marker");
  EXPECT_EQ(rule(kBase, replaced(kBase, "x = 1\n", "# EVOLVE-BLOCK-START\nx = 1\n")),
            "region.marker");
  EXPECT_EQ(rule(kBase, replaced(kBase, "x = 1\n", "s = '# EVOLVE-BLOCK-END'\n")), "region.marker");
  EXPECT_EQ(rule(kBase, replaced(kBase, "x = 1\n", "# evolve_block_end\n")), "region.marker");
  EXPECT_EQ(rule(kBase, replaced(kBase, "x = 1\n", "x = 1\r# EVOLVE-BLOCK-END\n")),
            "region.marker");
  EXPECT_EQ(
      rule(kBase,
           replaced(kBase, "# EVOLVE-BLOCK-END\ny = 2\n    # EVOLVE-BLOCK-START second\n", "")),
      "region.marker");
}

TEST(EditWindowRegions, AFileWithoutMarkersMayChangeButNotGainOne) {
  EXPECT_EQ(rule("a = 1\n", "a = 2\n"), "");
  EXPECT_EQ(rule("a = 1\n", std::nullopt), "");
  EXPECT_EQ(rule(std::nullopt, "a = 2\n"), "");
  EXPECT_EQ(rule("a = 1\n", "# EVOLVE-BLOCK-START\na = 1\n# EVOLVE-BLOCK-END\n"),
            "region.introduced");
  EXPECT_EQ(rule(std::nullopt, "# EVOLVE-BLOCK-START\na = 1\n# EVOLVE-BLOCK-END\n"),
            "region.introduced");
  EXPECT_EQ(rule("a = 1\n", "a = 'EVOLVE-BLOCK-START'\n"), "region.marker");
}

class EditWindowRegionsMalformed : public testing::TestWithParam<std::string> {};

TEST_P(EditWindowRegionsMalformed, TheFileCannotChange) {
  const auto checked = check_regions("f.py", GetParam(), GetParam() + "# more\n");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().rule, "region.base");
  EXPECT_NE(checked.error().message.find("line "), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Bases, EditWindowRegionsMalformed,
    testing::Values(
        "# EVOLVE-BLOCK-START\nx\n", "# EVOLVE-BLOCK-END\n",
        "# EVOLVE-BLOCK-START\n# EVOLVE-BLOCK-START\n# EVOLVE-BLOCK-END\n# EVOLVE-BLOCK-END\n",
        "# EVOLVE-BLOCK-START a\n# EVOLVE-BLOCK-END b\n", "x = 'EVOLVE-BLOCK-START'\n",
        "\"EVOLVE-BLOCK-START\"\n", "x = 1 # EVOLVE-BLOCK-START\nx\n# EVOLVE-BLOCK-END\n",
        "# EVOLVE-BLOCK-START EVOLVE-BLOCK-END\n", "# Evolve-Block-Start\nx\n# Evolve-Block-End\n",
        "# EVOLVE_BLOCK_START\nx\n# EVOLVE_BLOCK_END\n", "# EVOLVE BLOCK BEGIN\nx\n",
        "# EVOLVE-BLOCK-STARTLING\nx\n# EVOLVE-BLOCK-END\n",
        "# EVOLVE-BLOCK-START two words\nx\n# EVOLVE-BLOCK-END\n",
        "EVOLVE-BLOCK-START\nx\nEVOLVE-BLOCK-END\n"));

TEST(EditWindowRegions, CommentsOfManyLanguagesMakeMarkers) {
  for (const std::string& leader :
       std::vector<std::string>{"#", "//", "/*", "--", ";", "%", "<!--", "(*", "{-", "REM"}) {
    const std::string closer = leader == "/*"     ? " */"
                               : leader == "<!--" ? " -->"
                               : leader == "(*"   ? " *)"
                               : leader == "{-"   ? " -}"
                                                  : "";
    const std::string start = leader + " EVOLVE-BLOCK-START name" + closer + "\n";
    const std::string end = leader + " EVOLVE-BLOCK-END" + closer + "\n";
    EXPECT_EQ(rule("a\n" + start + "x\n" + end, "a\n" + start + "y\n" + end), "") << leader;
    EXPECT_EQ(rule("a\n" + start + "x\n" + end, "b\n" + start + "x\n" + end), "region.outside")
        << leader;
  }
}

RC_GTEST_PROP(EditWindowRegions, AnAcceptedChangeKeepsEveryByteOutside, ()) {
  const auto piece = rc::gen::element<std::string>(
      "# EVOLVE-BLOCK-START\n", "# EVOLVE-BLOCK-END\n", "// EVOLVE-BLOCK-START b\n", "code\n", "x",
      "\n", "\r", "'EVOLVE-BLOCK-END'", " ", "# ", "evolve_block_end");
  const auto text = rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                                 [](const std::vector<std::string>& parts) {
                                   std::string out;
                                   for (const auto& part : parts) out += part;
                                   return out;
                                 });
  const std::string first = "head\n# EVOLVE-BLOCK-START\n";
  const std::string last = "# EVOLVE-BLOCK-END\ntail\n";
  const std::string block = *text;
  const std::string after = *rc::gen::element(first + block + last, block, first + block,
                                              block + last, first + last + block);
  if (!check_regions("f", first + "old\n" + last, after)) return;
  RC_ASSERT(after.starts_with(first) && after.ends_with(last));
  RC_ASSERT(after.size() >= first.size() + last.size());
  RC_ASSERT(after.find("EVOLVE", first.size()) == after.size() - last.size() + 2);
}

}  // namespace
}  // namespace instar::engine
