#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "engine/edit_window/line_count.h"
#include "engine/edit_window/lines.h"
#include "engine/edit_window/unified_diff.h"

namespace instar::engine {
namespace {

using testing::HasSubstr;
using Text = std::optional<std::string>;

/// Applies a diff of one file; "refused: <rule>" when it is refused, "deleted" when that is its
/// end.
std::string applied(const std::string& diff, const Text& before) {
  const auto patches = parse_unified_diff(diff);
  if (!patches) return "refused: " + patches.error().rule;
  if (patches->size() != 1) return std::to_string(patches->size()) + " files";
  const auto after = apply_file_patch(patches->front(), before);
  if (!after) return "refused: " + after.error().rule;
  return after->value_or("deleted");
}

std::string message(const std::string& diff, const Text& before) {
  const auto patches = parse_unified_diff(diff);
  if (!patches) return patches.error().message;
  const auto after = apply_file_patch(patches->front(), before);
  return after ? "" : after.error().message;
}

const std::string kOld = "one\ntwo\nthree\nfour\nfive\n";
const std::string kNames = "--- a/f.c\n+++ b/f.c\n";

TEST(EditWindowUnifiedDiff, AppliesAtTheStatedLine) {
  EXPECT_EQ(applied(kNames + "@@ -2,3 +2,3 @@ f()\n two\n-three\n+THREE\n four\n", kOld),
            "one\ntwo\nTHREE\nfour\nfive\n");
  EXPECT_EQ(applied(kNames + "@@ -1 +1 @@\n-one\n+1\n@@ -5 +5,2 @@\n five\n+six\n", kOld),
            "1\ntwo\nthree\nfour\nfive\nsix\n");
  EXPECT_EQ(applied(kNames + "@@ -2,0 +3 @@\n+new\n", kOld), "one\ntwo\nnew\nthree\nfour\nfive\n");
  EXPECT_EQ(applied(kNames + "@@ -0,0 +1 @@\n+new\n", kOld), "new\n" + kOld);
}

TEST(EditWindowUnifiedDiff, ReadsWhatGitPrints) {
  const std::string header = "diff --git a/f.c b/f.c\nindex 0123456..789abcd 100644\n";
  EXPECT_EQ(applied(header + kNames + "@@ -1 +1 @@\n-one\n+1\n", kOld),
            "1\ntwo\nthree\nfour\nfive\n");
  EXPECT_EQ(applied("From 1234 Mon Sep 17\nSubject: x\n---\n f.c | 2 +-\n\n" + header + kNames +
                        "@@ -1 +1 @@\n-one\n+1\n-- \n2.39.5\n\n",
                    kOld),
            "1\ntwo\nthree\nfour\nfive\n");
  EXPECT_EQ(applied("diff --git f.c f.c\n--- f.c\n+++ f.c\n@@ -1 +1 @@\n-one\n+1\n", kOld),
            "1\ntwo\nthree\nfour\nfive\n");
}

TEST(EditWindowUnifiedDiff, CreatesAndDeletes) {
  EXPECT_EQ(applied("--- /dev/null\n+++ b/n.c\n@@ -0,0 +1,2 @@\n+a\n+b\n", std::nullopt), "a\nb\n");
  EXPECT_EQ(applied("diff --git a/n.c b/n.c\nnew file mode 100644\nindex 000..123\n--- /dev/null\n"
                    "+++ b/n.c\n@@ -0,0 +1 @@\n+a\n",
                    std::nullopt),
            "a\n");
  EXPECT_EQ(applied("diff --git a/n.c b/n.c\nnew file mode 100644\nindex 000..e69\n", std::nullopt),
            "");
  EXPECT_EQ(applied("--- a/n.c\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", "a\nb\n"), "deleted");
  EXPECT_EQ(applied("diff --git a/n.c b/n.c\ndeleted file mode 100755\n--- a/n.c\n+++ /dev/null\n"
                    "@@ -1 +0,0 @@\n-a\n",
                    "a\n"),
            "deleted");
  EXPECT_EQ(applied("--- a/n.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "a\nb\n"), "refused: inexact");
  EXPECT_EQ(applied("--- /dev/null\n+++ b/n.c\n@@ -0,0 +1 @@\n+a\n", "a\n"), "refused: inexact");
  EXPECT_EQ(applied("--- a/n.c\n+++ b/n.c\n@@ -0,0 +1 @@\n+a\n", std::nullopt), "refused: inexact");
}

TEST(EditWindowUnifiedDiff, SaysWhereTheLinesStandInstead) {
  const std::string off = kNames + "@@ -3,2 +3,2 @@\n two\n-three\n+3\n";
  EXPECT_EQ(applied(off, kOld), "refused: inexact");
  EXPECT_THAT(message(off, kOld), HasSubstr("line 3 is `three`, not `two`"));
  EXPECT_THAT(message(off, kOld), HasSubstr("these lines stand at line 2"));
  EXPECT_THAT(message(kNames + "@@ -2 +2 @@\n-nowhere\n+x\n", kOld),
              HasSubstr("nowhere in the file"));
  EXPECT_THAT(message(kNames + "@@ -9 +9 @@\n-five\n+x\n", kOld), HasSubstr("which has 5 lines"));
  EXPECT_THAT(message(kNames + "@@ -2 +2 @@\n-x\n+y\n", "x\nz\nx\n"),
              HasSubstr("line 1 and further"));
}

TEST(EditWindowUnifiedDiff, TheFinalNewlineIsExact) {
  const std::string no = "\\ No newline at end of file\n";
  EXPECT_EQ(applied(kNames + "@@ -1 +1 @@\n-a\n" + no + "+b\n" + no, "a"), "b");
  EXPECT_EQ(applied(kNames + "@@ -1 +1 @@\n-a\n" + no + "+b\n", "a"), "b\n");
  EXPECT_EQ(applied(kNames + "@@ -1 +1 @@\n-a\n+b\n" + no, "a\n"), "b");
  EXPECT_EQ(applied(kNames + "@@ -1 +1 @@\n-a\n+b\n", "a"), "refused: inexact");
  EXPECT_EQ(applied(kNames + "@@ -1 +1 @@\n-a\n" + no + "+b\n", "a\n"), "refused: inexact");
  // It may not glue two lines together.
  EXPECT_EQ(applied(kNames + "@@ -1 +1 @@\n-a\n+b\n" + no, "a\nc\n"), "refused: inexact");
  EXPECT_EQ(applied(kNames + "@@ -1 +1,2 @@\n-a\n+b\n" + no + "+c\n", "a\n"), "refused: inexact");
  // A line of no bytes at all would count and not be there.
  EXPECT_EQ(applied(kNames + "@@ -1 +1,2 @@\n-a\n+b\n+\n" + no, "a\n"), "refused: patch.hunk");
  EXPECT_EQ(applied(kNames + "@@ -1 +1,2 @@\n-a\n+b\n+\n", "a\n"), "b\n\n");
}

TEST(EditWindowUnifiedDiff, CarriageReturnsAreBytes) {
  EXPECT_EQ(applied(kNames + "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n", "a\r\nb\r\n"), "a\r\nc\r\n");
  EXPECT_EQ(applied(kNames + "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\r\nb\r\n"), "refused: inexact");
  EXPECT_THAT(message(kNames + "@@ -1 +1 @@\n-b\n+c\n", "b\r\n"), HasSubstr("how the line ends"));
  EXPECT_EQ(applied(kNames + "@@ -1 +1 @@\n-b\r\n+c\n", "b\r\n"), "c\n");
}

TEST(EditWindowUnifiedDiff, TakesAnEmptyLineAsEmptyContext) {
  EXPECT_EQ(applied(kNames + "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "a\n\nb\n"), "a\n\nc\n");
  EXPECT_EQ(applied(kNames + "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "a\n \nb\n"), "refused: inexact");
}

TEST(EditWindowUnifiedDiff, UndoesGitsQuoting) {
  const auto patches = parse_unified_diff(
      "diff --git \"a/\\303\\251 \\\"x\\\".c\" \"b/\\303\\251 \\\"x\\\".c\"\n"
      "--- \"a/\\303\\251 \\\"x\\\".c\"\n+++ \"b/\\303\\251 \\\"x\\\".c\"\n@@ -1 +1 @@\n-a\n+b\n");
  ASSERT_TRUE(patches) << patches.error().message;
  EXPECT_EQ(patches->front().path, "\xC3\xA9 \"x\".c");
  const auto spaced = parse_unified_diff(
      "diff --git a/x b/y b/x b/y\n--- a/x b/y\t\n+++ b/x b/y\t\n"
      "@@ -1 +1 @@\n-a\n+b\n");
  ASSERT_TRUE(spaced) << spaced.error().message;
  EXPECT_EQ(spaced->front().path, "x b/y");
}

TEST(EditWindowUnifiedDiff, ReadsManyFiles) {
  const auto patches = parse_unified_diff(
      kNames +
      "@@ -1 +1 @@\n-a\n+b\ndiff -ru a/g.c b/g.c\n--- a/g.c\t2024-01-01\n+++ b/g.c\t2024\n"
      "@@ -1 +1 @@\n-a\n+b\n\ndiff --git a/h b/h\nnew file mode 100644\n"
      "diff --git a/i b/i\ndeleted file mode 100644\n");
  ASSERT_TRUE(patches) << patches.error().message;
  ASSERT_EQ(patches->size(), 4U);
  EXPECT_EQ((*patches)[1].path, "g.c");
  EXPECT_EQ((*patches)[2].kind, FilePatch::Kind::kCreate);
  EXPECT_EQ((*patches)[3].kind, FilePatch::Kind::kDelete);
}

struct Case {
  std::string diff;
  std::string rule;
};

class EditWindowUnifiedDiffRefuses : public testing::TestWithParam<Case> {};

TEST_P(EditWindowUnifiedDiffRefuses, ByName) {
  const auto patches = parse_unified_diff(GetParam().diff);
  ASSERT_FALSE(patches) << GetParam().diff;
  EXPECT_EQ(patches.error().rule, GetParam().rule) << patches.error().message;
  EXPECT_THAT(patches.error().message, HasSubstr("line "));
  EXPECT_FALSE(patches.error().allowed.empty());
}

const std::string kGit = "diff --git a/f b/f\n";
const std::string kSides = "--- a/f\n+++ b/f\n";
const std::string kHunk = "@@ -1 +1 @@\n-a\n+b\n";

INSTANTIATE_TEST_SUITE_P(
    Diffs, EditWindowUnifiedDiffRefuses,
    testing::Values(
        Case{"", "patch.empty"}, Case{"just words\n", "patch.empty"}, Case{kSides, "patch.empty"},
        Case{kGit, "patch.empty"}, Case{kGit + "index 1..2 100644\n", "patch.empty"},
        Case{kHunk, "patch.names"},
        Case{kGit + "old mode 100644\nnew mode 100755\n", "mode.change"},
        Case{kGit + "old mode 100644\nnew mode 100755\n" + kSides + kHunk, "mode.change"},
        Case{kGit + "new file mode 100755\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n",
             "mode.executable"},
        Case{kGit + "new file mode 120000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+/etc\n",
             "mode.symlink"},
        Case{kGit + "deleted file mode 120000\n", "mode.symlink"},
        Case{kGit + "index 1..2 120000\n" + kSides + kHunk, "mode.symlink"},
        Case{kGit + "new file mode 160000\n", "mode.gitlink"},
        Case{kGit + "index 1..2 160000\n" + kSides + kHunk, "mode.gitlink"},
        Case{kGit + "new file mode 040000\n", "mode.unknown"},
        Case{"diff --git a/f b/g\nsimilarity index 90%\nrename from f\nrename to g\n",
             "patch.names"},
        Case{kGit + "rename from f\nrename to g\n", "patch.rename"},
        Case{kGit + "similarity index 100%\n", "patch.rename"},
        Case{kGit + "copy from f\ncopy to g\n", "patch.rename"},
        Case{kGit + "index 1..2 100644\nGIT binary patch\nliteral 3\n", "patch.binary"},
        Case{kGit + "Binary files a/f and b/f differ\n", "patch.binary"},
        Case{"Only in b: f\n" + kSides + kHunk, "patch.incomplete"},
        Case{kSides + kHunk + "Only in b: f\n", "patch.incomplete"},
        Case{"diff --cc f\n", "patch.combined"},
        Case{kSides + "@@@ -1 -1 +1 @@@\n", "patch.combined"},
        Case{"--- a/f\n+++ b/g\n" + kHunk, "patch.names"},
        Case{"--- /dev/null\n+++ /dev/null\n" + kHunk, "patch.names"},
        Case{"--- \"a/f\n+++ b/f\n" + kHunk, "patch.names"},
        Case{kGit + "--- a/g\n+++ b/g\n" + kHunk, "patch.names"},
        Case{kGit + "new file mode 100644\n" + kSides + kHunk, "patch.names"},
        Case{kGit + "--- a/f\n+++ /dev/null\n" + kHunk, "patch.names"},
        Case{kSides + "@@ -1,2 +1,2 @@\n-a\n+b\n", "patch.count"},
        Case{kSides + "@@ -1,9 +1,9 @@\n-a\n+b\n", "patch.count"},
        Case{kSides + "@@ -1 +1 @@\n-a\n-b\n", "patch.count"},
        Case{kSides + "@@ -1 +1 @@\n-a\nb\n", "patch.count"},
        Case{kSides + kHunk + "+more\n", "patch.stray"},
        Case{kSides + kHunk + " more\n", "patch.stray"},
        Case{kSides + kHunk + "chatter\n", "patch.stray"},
        Case{kSides + kHunk + "-- \nx\ny\nz\n", "patch.stray"},
        Case{kSides + "@@ -1 @@\n-a\n", "patch.hunk"}, Case{kSides + "@@ x @@\n-a\n", "patch.hunk"},
        Case{kSides + "@@ -0 +1 @@\n-a\n+b\n", "patch.hunk"},
        Case{kSides + "@@ -1 +1\n-a\n+b\n", "patch.hunk"},
        Case{kSides + "@@ --1 +1 @@\n-a\n+b\n", "patch.hunk"},
        Case{kSides + "@@ -99999999999999999999 +1 @@\n-a\n+b\n", "patch.hunk"},
        Case{kSides + "@@ -4294967297,1 +1 @@\n-a\n+b\n", "patch.hunk"},
        Case{kSides + kHunk + kSides + kHunk, "edit.conflict"}));

TEST(EditWindowUnifiedDiff, HunksThatOverlapOrGoBackAreRefused) {
  EXPECT_EQ(applied(kNames + "@@ -2 +2 @@\n-two\n+2\n@@ -2 +2 @@\n-two\n+2\n", kOld),
            "refused: inexact");
  EXPECT_EQ(applied(kNames + "@@ -4 +4 @@\n-four\n+4\n@@ -1 +1 @@\n-one\n+1\n", kOld),
            "refused: inexact");
}

TEST(EditWindowUnifiedDiff, AHunkThatMatchesNowhereInALargeFileIsRefusedSoon) {
  std::string file;
  std::string hunk = "@@ -2,100001 +2,100000 @@\n";
  for (int i = 0; i < 400000; ++i) file += "a\n";
  for (int i = 0; i < 100000; ++i) hunk += " a\n";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(applied(kNames + hunk + "-b\n", file), "refused: inexact");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

/// Random text of a few distinct lines, so that repetitions are common.
rc::Gen<std::string> some_text() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                        "a\n", "b\n", "\n", "a\r\n", "-x\n", "+y\n", " z\n", "@@ -1 +1 @@\n",
                        "--- a/f\n", "+++ b/f\n", "\\ No\n", "-- \n")),
                    rc::gen::element<std::string>("", "end", "\r", "-")),
      [](const auto& parts) {
        return std::accumulate(parts.first.begin(), parts.first.end(), std::string()) +
               parts.second;
      });
}

enum class Op { kKeep, kRemove, kAdd };
struct Step {
  Op op;
  std::string_view line;
};

/// A shortest edit script, from the textbook's table of common subsequences.
std::vector<Step> script(const std::vector<std::string_view>& a,
                         const std::vector<std::string_view>& b) {
  std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<Step> steps;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      steps.push_back({Op::kKeep, a[i++]});
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      steps.push_back({Op::kRemove, a[i++]});
    } else {
      steps.push_back({Op::kAdd, b[j++]});
    }
  }
  return steps;
}

/// The script as a diff, with hunks cut wherever `context` unchanged lines allow.
std::string as_diff(const std::vector<Step>& steps, std::size_t context) {
  std::vector<bool> shown(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].op == Op::kKeep) continue;
    const auto end = std::min(steps.size(), i + context + 1);
    for (auto k = i - std::min(i, context); k < end; ++k) shown[k] = true;
  }
  std::string out = "--- a/f\n+++ b/f\n";
  std::size_t old_line = 0;
  std::size_t new_line = 0;
  for (std::size_t i = 0; i < steps.size();) {
    if (!shown[i]) {
      ++old_line, ++new_line, ++i;
      continue;
    }
    std::string body;
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    for (; i < steps.size() && shown[i]; ++i) {
      const auto& [op, line] = steps[i];
      old_count += op != Op::kAdd ? 1 : 0;
      new_count += op != Op::kRemove ? 1 : 0;
      body += op == Op::kKeep ? ' ' : op == Op::kRemove ? '-' : '+';
      body += line;
      if (!line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
    }
    const auto range = [](std::size_t before, std::size_t count) {
      return std::to_string(before + (count > 0 ? 1 : 0)) + "," + std::to_string(count);
    };
    out += "@@ -" + range(old_line, old_count) + " +" + range(new_line, new_count) + " @@\n" + body;
    old_line += old_count;
    new_line += new_count;
  }
  return out;
}

RC_GTEST_PROP(EditWindowUnifiedDiff, TheDiffOfTwoTextsTurnsOneIntoTheOther, ()) {
  const std::string before = *some_text();
  const std::string after = *some_text();
  RC_PRE(before != after);
  const auto steps = script(lines_of(before), lines_of(after));
  const std::string diff = as_diff(steps, *rc::gen::inRange<std::size_t>(0, 4));
  RC_ASSERT(applied(diff, before) == after);
}

RC_GTEST_PROP(EditWindowUnifiedDiff, APatchNeverAppliesToAnotherTextUnlessItsLinesStandThere, ()) {
  const std::string before = *some_text();
  const std::string after = *some_text();
  const std::string other = *some_text();
  RC_PRE(before != after && before != other);
  // With the whole file as context, only that file can match.
  const auto steps = script(lines_of(before), lines_of(after));
  const std::string result = applied(as_diff(steps, before.size() + after.size()), other);
  RC_ASSERT(result == "refused: inexact" || other.starts_with(before) || before.empty());
}

RC_GTEST_PROP(EditWindowLineCount, CountsAShortestScript, ()) {
  const std::string before = *some_text();
  const std::string after = *some_text();
  const auto steps = script(lines_of(before), lines_of(after));
  const auto changed = std::count_if(steps.begin(), steps.end(),
                                     [](const Step& step) { return step.op != Op::kKeep; });
  RC_ASSERT(changed_lines(before, after) == static_cast<std::uint64_t>(changed));
}

TEST(EditWindowLineCount, CountsAcrossWordsOfTheBitVector) {
  std::string before;
  std::string after;
  for (int i = 0; i < 1000; ++i) {
    before += std::to_string(i % 7) + "\n" + std::to_string(i) + "\n";
    after += std::to_string(i) + "\n" + (i % 3 == 0 ? "new\n" : std::to_string(i % 7) + "\n");
  }
  const auto steps = script(lines_of(before), lines_of(after));
  const auto changed = std::count_if(steps.begin(), steps.end(),
                                     [](const Step& step) { return step.op != Op::kKeep; });
  EXPECT_EQ(changed_lines(before, after), static_cast<std::uint64_t>(changed));
}

TEST(EditWindowLineCount, IsBoundedForHostileTexts) {
  std::string before = "x\n";
  std::string after = "y\n";
  for (int i = 0; i < 300000; ++i) {
    before += i % 2 == 0 ? "a\n" : "b\n";
    after += i % 3 == 0 ? "a\n" : "b\n";
  }
  before += "x\n";
  after += "y\n";
  EXPECT_EQ(changed_lines(before, after), 600004U);
}

}  // namespace
}  // namespace instar::engine
