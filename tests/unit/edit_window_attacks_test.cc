#include <gtest/gtest.h>

#include "tests/support/edit_window_fixture.h"

namespace instar::engine {
namespace {

using namespace edit_window_test;

/// One attack through the door, and the nearest honest edit, which must pass.
struct Attack {
  std::string name;
  std::vector<Edit> edits;
  std::string rule;
  std::vector<Edit> control = {WholeFile{"src/new.c", "x\n"}};
};

void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.name; }

class EditWindowAttack : public testing::TestWithParam<Attack> {};

TEST_P(EditWindowAttack, IsRefusedByNameAndLeavesNothing) {
  Window w;
  const std::size_t trees = w.store.trees_in_memory();
  const auto decision = w.admit(GetParam().edits);
  EXPECT_EQ(rule(decision), GetParam().rule);
  EXPECT_EQ(w.store.trees_in_memory(), trees);
  if (const auto* refusal = std::get_if<Refusal>(&decision)) {
    EXPECT_FALSE(refusal->message.empty());
    EXPECT_FALSE(refusal->allowed.empty());
    EXPECT_FALSE(refusal->rule_source.empty());
  }
  const auto control = w.admit(GetParam().control);
  EXPECT_EQ(rule(control), "admitted") << std::get<Refusal>(control).message;
}

// Not in the table of attacks: every test's process builds the whole table first.
TEST(EditWindowSize, HundredMegabytesAreRefused) {
  Window w;
  EXPECT_EQ(rule(w.admit(write("src/a.c", std::string(100U << 20, 'a')))), "edit.size");
  EXPECT_EQ(rule(w.admit(write("src/a.c", std::string(4096, 'a')))), "admitted");
}

std::vector<Edit> patch(const std::string& text) { return {UnifiedDiff{text}}; }
std::string diff_of(const std::string& path, const std::string& body) {
  return "--- a/" + path + "\n+++ b/" + path + "\n" + body;
}

std::string name_of(const testing::TestParamInfo<Attack>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Paths, EditWindowAttack,
    testing::Values(
        Attack{"Parent", write("src/../Makefile"), "path.parent"},
        Attack{"ParentInADiff", patch("--- /dev/null\n+++ b/../outside\n@@ -0,0 +1 @@\n+x\n"),
               "path.parent", patch("--- /dev/null\n+++ b/src/inside\n@@ -0,0 +1 @@\n+x\n")},
        Attack{"Absolute", write("/etc/cron.d/x"), "path.absolute"},
        Attack{"DoubleSlash", write("src//a.c"), "path.empty_part"},
        Attack{"Dot", write("./src/a.c"), "path.dot"},
        Attack{"Backslash", write("src\\..\\x"), "path.backslash"},
        Attack{"TrailingDot", write("src/a.c."), "path.trailing"},
        Attack{"TrailingSpace", write("src/.git "), "path.trailing"},
        Attack{"CaseAlias", write("src/A.c"), "path.alias"},
        Attack{"DirectoryCaseAlias", write("src/LIB/new.c"), "path.alias", write("src/lib/new.c")},
        Attack{"NormalFormAlias", write("src/e\xCC\x81.c"), "path.nfc"},
        Attack{"UnicodeCaseAlias", write("src/\xC3\x89.c"), "path.alias", write("src/\xC3\xA8.c")},
        Attack{"CompatibilityAlias", write("src/\xEF\xBD\x81.c"), "path.alias"},
        Attack{"AliasPairInOneVariant",
               {WholeFile{"src/q.c", "1\n"}, WholeFile{"src/Q.c", "2\n"}},
               "path.alias",
               {WholeFile{"src/q.c", "1\n"}, WholeFile{"src/r.c", "2\n"}}},
        Attack{"IgnorableCodePoint", write("src/a\xE2\x80\x8B.c"), "path.invisible"},
        Attack{"RightToLeft",
               write("src/\xE2\x80\xAE"
                     "c.a"),
               "path.invisible"},
        Attack{"ShortName", write("git~1/config"), "path.short_name"},
        Attack{"StreamName", write("src/.git::$INDEX_ALLOCATION/x"), "path.stream"},
        Attack{"OverlongComponent", write("src/" + std::string(256, 'n')), "path.component_length",
               write("src/" + std::string(255, 'n'))},
        Attack{"OverlongPath", write("src" + std::string(2100, '/') + "x"), "path.empty_part"},
        Attack{"Newline", write("src/a\n.c"), "path.control"},
        Attack{"Nul", write(std::string("src/a\0.c", 8)), "path.control"},
        Attack{"EmptyPath", write(""), "path.empty"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    ProtectedAndSurface, EditWindowAttack,
    testing::Values(Attack{"GitDirectory", write(".git/config"), "protected"},
                    Attack{"NestedGitDirectory", write("src/sub/.git/config"), "protected"},
                    Attack{"GitInCapitals", write("src/.GIT/config"), "protected"},
                    Attack{"AttributesFilter", write("src/.gitattributes"), "protected"},
                    Attack{"Modules", write(".gitmodules"), "protected"},
                    Attack{"Workflow", write(".github/workflows/x.yml"), "protected"},
                    Attack{"Policy", write("src/safety.yaml"), "protected"},
                    Attack{"TargetFile", write("instar.yaml"), "protected"},
                    Attack{"Secrets", write("src/.env"), "protected"},
                    Attack{"Key", write("src/server.PEM"), "protected"},
                    Attack{"SealedTests", write("src/tests/t.c"), "protected"},
                    Attack{"SealedTestsInCapitals", write("src/TESTS/t.c"), "protected"},
                    Attack{"NewSealedTest", write("src/tests/new.c"), "protected"},
                    Attack{"SealedTestsDeleted", remove("src/tests/t.c"), "protected",
                           remove("src/b.c")},
                    Attack{"ProtectedByPolicy", write("src/deps.lock"), "protected"},
                    Attack{"Denied", write("src/vendor/v.c"), "surface"},
                    Attack{"Makefile", write("Makefile"), "surface"},
                    Attack{"Conftest", write("conftest.py"), "surface"},
                    Attack{"Sitecustomize", write("sitecustomize.py"), "surface"},
                    Attack{"PathFile", write("lib/evil.pth"), "surface"},
                    Attack{"PackageManifest", write("package.json"), "surface"},
                    Attack{"OneBadFileAmongGood",
                           {WholeFile{"src/new.c", "x\n"}, WholeFile{"Makefile", "x\n"}},
                           "surface"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Kinds, EditWindowAttack,
    testing::Values(
        Attack{"SymlinkInTheBase", write("src/link"), "mode.symlink"},
        Attack{"SymlinkDeleted", remove("src/link"), "mode.symlink", remove("src/b.c")},
        Attack{"ThroughASymlink", write("src/link/x"), "mode.symlink"},
        Attack{"Submodule", write("src/module"), "mode.gitlink"},
        Attack{"ThroughASubmodule", write("src/module/x"), "mode.gitlink"},
        Attack{
            "NewSymlink",
            patch("diff --git a/src/n b/src/n\nnew file mode 120000\n--- /dev/null\n+++ b/src/n\n"
                  "@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n"),
            "mode.symlink",
            patch("diff --git a/src/n b/src/n\nnew file mode 100644\n--- /dev/null\n+++ b/src/n\n"
                  "@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n")},
        Attack{
            "NewSubmodule",
            patch("diff --git a/src/n b/src/n\nnew file mode 160000\n--- /dev/null\n+++ b/src/n\n"
                  "@@ -0,0 +1 @@\n+Subproject commit 12\n"),
            "mode.gitlink"},
        Attack{"ModeChange",
               patch("diff --git a/src/a.c b/src/a.c\nold mode 100644\nnew mode 100755\n"),
               "mode.change"},
        Attack{
            "NewExecutable",
            patch("diff --git a/src/n b/src/n\nnew file mode 100755\n--- /dev/null\n+++ b/src/n\n"
                  "@@ -0,0 +1 @@\n+x\n"),
            "mode.executable"},
        Attack{"RenameOntoProtected",
               patch("diff --git a/src/a.c b/.gitmodules\nsimilarity index 100%\n"
                     "rename from src/a.c\nrename to .gitmodules\n"),
               "patch.names"},
        Attack{"FileBelowAFile", write("src/a.c/x"), "path.directory", write("src/a/x")},
        Attack{"FileOverADirectory", write("src/lib"), "path.directory", write("src/lib2")},
        Attack{"DirectoryWithAProtectedFileReplaced",
               {WholeFile{"src/mixed", "x\n"}, WholeFile{"src/mixed/z.c", std::nullopt},
                WholeFile{"src/mixed/keep.lock", std::nullopt}},
               "protected",
               {WholeFile{"src/lib", "x\n"}, WholeFile{"src/lib/x.c", std::nullopt},
                WholeFile{"src/lib/y.c", std::nullopt}}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Contents, EditWindowAttack,
    testing::Values(
        Attack{"NulInText", write("src/a.c", std::string("a\0b", 3)), "content.nul",
               write("src/a.c", "ab")},
        Attack{"OverTheCap", write("src/a.c", std::string(4097, 'a')), "content.size",
               write("src/a.c", std::string(4096, 'a'))},
        Attack{
            "MarkerForged",
            write("src/blocks.py",
                  "head\n# EVOLVE-BLOCK-START\nx\n# EVOLVE-BLOCK-END\nevil\n# EVOLVE-BLOCK-START\n"
                  "# EVOLVE-BLOCK-END\ntail\n"),
            "region.marker",
            write("src/blocks.py", "head\n# EVOLVE-BLOCK-START\nx\n# EVOLVE-BLOCK-END\ntail\n")},
        Attack{
            "MarkerMoved",
            write("src/blocks.py", "head\n# EVOLVE-BLOCK-START\nx = 1\ntail\n# EVOLVE-BLOCK-END\n"),
            "region.outside"},
        Attack{
            "MarkerDuplicated",
            write("src/blocks.py",
                  "head\n# EVOLVE-BLOCK-START\n# EVOLVE-BLOCK-START\n# EVOLVE-BLOCK-END\ntail\n"),
            "region.marker"},
        Attack{
            "MarkerInAString",
            write(
                "src/blocks.py",
                "head\n# EVOLVE-BLOCK-START\ns = '# EVOLVE-BLOCK-END'\n# EVOLVE-BLOCK-END\ntail\n"),
            "region.marker"},
        Attack{"MarkersRemoved", write("src/blocks.py", "x = 1\n"), "region.marker"},
        Attack{"MarkersIntroduced", write("src/a.c", "# EVOLVE-BLOCK-START\n# EVOLVE-BLOCK-END\n"),
               "region.introduced"},
        Attack{"OutsideChangedBySyntaxEdit",
               {SyntaxEdit{"src/blocks.py", 0, 4, "head", "tail"}},
               "region.outside",
               {SyntaxEdit{"src/blocks.py", 26, 31, "x = 1", "x = 2"}}},
        Attack{"FileWithBlocksDeleted", remove("src/blocks.py"), "region.outside",
               remove("src/b.c")},
        Attack{"MalformedBase", write("src/bad_blocks.py"), "region.base"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Exactness, EditWindowAttack,
    testing::Values(
        Attack{"DiffThatAppliesNowhere", patch(diff_of("src/a.c", "@@ -1 +1 @@\n-zero\n+x\n")),
               "inexact", patch(diff_of("src/a.c", "@@ -1 +1 @@\n-one\n+x\n"))},
        Attack{"DiffAtTheWrongLine", patch(diff_of("src/a.c", "@@ -1 +1 @@\n-two\n+x\n")),
               "inexact", patch(diff_of("src/a.c", "@@ -2 +2 @@\n-two\n+x\n"))},
        Attack{"DiffWithCarriageReturns", patch(diff_of("src/a.c", "@@ -1 +1 @@\n-one\r\n+x\r\n")),
               "inexact"},
        Attack{"DiffWithoutFinalNewline",
               patch(diff_of("src/a.c", "@@ -3 +3 @@\n-three\n\\ No newline at end of file\n+x\n")),
               "inexact"},
        Attack{"SyntaxEditOfOtherText",
               {SyntaxEdit{"src/a.c", 0, 3, "two", "x"}},
               "inexact",
               {SyntaxEdit{"src/a.c", 0, 3, "one", "x"}}},
        Attack{"SyntaxEditsOverlap",
               {SyntaxEdit{"src/a.c", 0, 3, "one", "x"}, SyntaxEdit{"src/a.c", 2, 4, "e\n", "y"}},
               "inexact",
               {SyntaxEdit{"src/a.c", 0, 3, "one", "x"}, SyntaxEdit{"src/a.c", 3, 4, "\n", "y"}}},
        Attack{"SyntaxEditTwice",
               {SyntaxEdit{"src/a.c", 0, 3, "one", "x"}, SyntaxEdit{"src/a.c", 0, 3, "one", "x"}},
               "inexact"},
        Attack{"TwoInsertionsAtOnePlace",
               {SyntaxEdit{"src/a.c", 0, 0, "", "x"}, SyntaxEdit{"src/a.c", 0, 0, "", "y"}},
               "inexact"},
        Attack{"SyntaxEditBehindTheEnd", {SyntaxEdit{"src/a.c", 13, 99, "\n", "x"}}, "inexact"},
        Attack{"SyntaxEditBackwards", {SyntaxEdit{"src/a.c", 3, 0, "", "x"}}, "inexact"},
        Attack{"SyntaxEditOfNoFile", {SyntaxEdit{"src/none.c", 0, 0, "", "x"}}, "inexact"},
        Attack{"DeletesWhatIsNotThere", remove("src/none.c"), "inexact", remove("src/b.c")},
        Attack{"WholeFileTwice",
               {WholeFile{"src/b.c", "1\n"}, WholeFile{"src/b.c", "2\n"}},
               "edit.conflict"},
        Attack{"TwoKindsOnOneFile",
               {WholeFile{"src/a.c", "1\n"}, SyntaxEdit{"src/a.c", 0, 3, "one", "x"}},
               "edit.conflict",
               {WholeFile{"src/b.c", "1\n"}, SyntaxEdit{"src/a.c", 0, 3, "one", "x"}}},
        Attack{"DiffAndSyntaxEdit",
               {SyntaxEdit{"src/a.c", 0, 3, "one", "x"},
                UnifiedDiff{diff_of("src/a.c", "@@ -2 +2 @@\n-two\n+x\n")}},
               "edit.conflict"},
        Attack{"NoEdits", {}, "edit.none"},
        Attack{"NoChange", write("src/b.c", "b\n"), "edit.none", write("src/b.c", "c\n")},
        Attack{"ContextOnly", patch(diff_of("src/a.c", "@@ -1 +1 @@\n one\n")), "edit.none"}),
    name_of);

}  // namespace
}  // namespace instar::engine
