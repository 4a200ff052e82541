#include "engine/edit_window/edit_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/fake_store.h"

namespace instar::engine {
namespace {

using checkpoints::FakeStore;
using checkpoints::FileMode;
using checkpoints::TreeChange;
using checkpoints::TreeId;
using testing::HasSubstr;

const std::string kBlocks = "head\n# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END\ntail\n";
constexpr const char* kCommit = "0123456789012345678901234567890123456789";

const Surface kSurface{.allow = {{"src/**", "instar.yaml:4"}, {"*.md", "instar.yaml:4"}},
                       .deny = {{"src/vendor/**", "instar.yaml:5"}},
                       .protect = {{"src/tests/**", "instar.yaml:6"}, {"*.lock", "safety.yaml:9"}},
                       .max_file_bytes = 4096};

/// A base with one file of each kind, and the window in front of it.
struct Window {
  FakeStore store;
  TreeId base = store.add_tree({{"src/a.c", "one\ntwo\nthree\n"},
                                {"src/b.c", "b\n"},
                                {"src/run.sh", "run\n", FileMode::kExecutable},
                                {"src/blocks.py", kBlocks},
                                {"src/bad_blocks.py", "# EVOLVE-BLOCK-START\n"},
                                {"src/lib/x.c", "x\n"},
                                {"src/lib/y.c", "y\n"},
                                {"src/mixed/keep.lock", "lock\n"},
                                {"src/mixed/z.c", "z\n"},
                                {"src/link", "/etc/passwd", FileMode::kSymlink},
                                {"src/module", kCommit, FileMode::kGitlink},
                                {"src/tests/t.c", "test\n"},
                                {"src/vendor/v.c", "vendor\n"},
                                {"src/\xC3\xA9.c", "accent\n"},
                                {"Makefile", "all:\n"},
                                {"src/deps.lock", "1\n"}});
  EditWindow window{kSurface, store, base};

  std::variant<Admission, Refusal> admit(const std::vector<Edit>& edits) {
    return window.admit(base, edits).value();
  }
  /// Builds the tree past the window, as a fault in applying edits would, and checks it.
  std::variant<Admission, Refusal> check(const std::vector<TreeChange>& changes) {
    return window.check(store.with_changes(base, changes).value()).value();
  }
  /// The content of a file of an admitted tree; "absent".
  std::string content(const TreeId& tree, const std::string& path) {
    const auto entry = store.find(tree, path).value();
    return entry ? store.read(entry->blob).value() : "absent";
  }
};

std::string rule(const std::variant<Admission, Refusal>& decision) {
  const auto* refusal = std::get_if<Refusal>(&decision);
  return refusal == nullptr ? "admitted" : refusal->rule;
}

TEST(EditWindow, AdmitsAWholeFileADiffAndSyntaxEditsTogether) {
  Window w;
  const auto decision = w.admit(
      {WholeFile{"src/new/n.c", "new\n"}, WholeFile{"src/b.c", std::nullopt},
       UnifiedDiff{"--- a/src/a.c\n+++ b/src/a.c\n@@ -2 +2 @@\n-two\n+TWO\n"},
       SyntaxEdit{"src/run.sh", 0, 3, "run", "walk"}, SyntaxEdit{"src/run.sh", 3, 3, "", " on"}});
  ASSERT_EQ(rule(decision), "admitted") << std::get<Refusal>(decision).message;
  const auto& admission = std::get<Admission>(decision);
  EXPECT_EQ(w.content(admission.tree, "src/new/n.c"), "new\n");
  EXPECT_EQ(w.content(admission.tree, "src/b.c"), "absent");
  EXPECT_EQ(w.content(admission.tree, "src/a.c"), "one\nTWO\nthree\n");
  EXPECT_EQ(w.content(admission.tree, "src/run.sh"), "walk on\n");
  EXPECT_EQ(w.store.find(admission.tree, "src/run.sh").value()->mode, FileMode::kExecutable);
  EXPECT_EQ(admission.patch_files, 4U);
  EXPECT_EQ(admission.patch_lines, 1U + 1U + 2U + 2U);
  EXPECT_EQ(admission.deltas.size(), 4U);
}

TEST(EditWindow, ChecksAgainstTheBaseAndAppliesToTheParent) {
  Window w;
  const auto first = w.admit({SyntaxEdit{"src/a.c", 0, 3, "one", "1"}});
  const TreeId parent = std::get<Admission>(first).tree;
  const auto second = w.window.admit(
      parent, {UnifiedDiff{"--- a/src/a.c\n+++ b/src/a.c\n@@ -1 +1 @@\n-1\n+uno\n"}});
  ASSERT_EQ(rule(second.value()), "admitted");
  EXPECT_EQ(std::get<Admission>(*second).patch_lines, 2U);
  // The same diff does not fit the base, whose first line is another.
  EXPECT_EQ(rule(w.admit({UnifiedDiff{"--- a/src/a.c\n+++ b/src/a.c\n@@ -1 +1 @@\n-1\n+uno\n"}})),
            "inexact");
}

TEST(EditWindow, AFileThatThePathDeletedComesBackWithItsMode) {
  Window w;
  const TreeId parent = std::get<Admission>(w.admit({WholeFile{"src/run.sh", std::nullopt}})).tree;
  const auto decision = w.window.admit(parent, {WholeFile{"src/run.sh", "again\n"}}).value();
  ASSERT_EQ(rule(decision), "admitted");
  EXPECT_EQ(w.store.find(std::get<Admission>(decision).tree, "src/run.sh").value()->mode,
            FileMode::kExecutable);
}

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

std::vector<Edit> write(const std::string& path, const std::string& content = "x\n") {
  return {WholeFile{path, content}};
}
std::vector<Edit> remove(const std::string& path) { return {WholeFile{path, std::nullopt}}; }
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
        Attack{"HundredMegabytes", write("src/a.c", std::string(100U << 20, 'a')), "edit.size"},
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

TEST(EditWindow, RefusesMoreFilesThanAPersonReviews) {
  Window w;
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < kMaxVariantFiles; ++i) {
    edits.push_back(WholeFile{"src/n" + std::to_string(i), "x\n"});
  }
  EXPECT_EQ(rule(w.admit(edits)), "admitted");
  edits.push_back(WholeFile{"src/more", "x\n"});
  EXPECT_EQ(rule(w.admit(edits)), "edit.files");
}

TEST(EditWindow, ARefusalNamesPathRuleSourceAndWhatIsAllowed) {
  Window w;
  const auto decision = w.admit(write("src/tests/t\xC3\xA9.c"));
  const auto& refusal = std::get<Refusal>(decision);
  EXPECT_EQ(refusal.path, "src/tests/t\xC3\xA9.c");
  EXPECT_EQ(refusal.rule, "protected");
  EXPECT_EQ(refusal.rule_source, "instar.yaml:6");
  EXPECT_THAT(refusal.message, HasSubstr("src/tests/**"));
  EXPECT_THAT(refusal.allowed, HasSubstr("src/** (instar.yaml:4)"));
}

/// A tree made past the window, which `check` alone must refuse; and a harmless twin.
struct BadTree {
  std::string name;
  std::vector<TreeChange> changes;
  std::string rule;
  std::vector<TreeChange> control = {{"src/new.c", "x\n"}};
};

void PrintTo(const BadTree& tree, std::ostream* out) { *out << tree.name; }

std::string tree_name(const testing::TestParamInfo<BadTree>& info) { return info.param.name; }

class EditWindowCheck : public testing::TestWithParam<BadTree> {};

TEST_P(EditWindowCheck, RefusesTheTreeItself) {
  Window w;
  EXPECT_EQ(rule(w.check(GetParam().changes)), GetParam().rule);
  EXPECT_EQ(rule(w.check(GetParam().control)), "admitted");
}

INSTANTIATE_TEST_SUITE_P(
    Trees, EditWindowCheck,
    testing::Values(
        BadTree{"OffTheSurface", {{"Makefile", "x\n"}}, "surface"},
        BadTree{"OffTheSurfaceDeleted",
                {{"Makefile", std::nullopt}},
                "surface",
                {{"src/a.c", std::nullopt}}},
        BadTree{"Protected", {{".gitattributes", "* filter=x\n"}}, "protected"},
        BadTree{"Sealed", {{"src/tests/t.c", "x\n"}}, "protected"},
        BadTree{"Symlink", {{"src/new", "/etc", FileMode::kSymlink}}, "mode.symlink"},
        BadTree{"FileBecomesSymlink", {{"src/a.c", "/etc", FileMode::kSymlink}}, "mode.symlink"},
        BadTree{"SymlinkRetargeted", {{"src/link", "/root", FileMode::kSymlink}}, "mode.symlink"},
        BadTree{"SymlinkBecomesFile", {{"src/link", "x\n"}}, "mode.symlink"},
        BadTree{"SymlinkRemoved", {{"src/link", std::nullopt}}, "mode.symlink"},
        BadTree{"Gitlink", {{"src/new", kCommit, FileMode::kGitlink}}, "mode.gitlink"},
        BadTree{"GitlinkRemoved", {{"src/module", std::nullopt}}, "mode.gitlink"},
        BadTree{
            "ModeAlone", {{"src/a.c", "one\ntwo\nthree\n", FileMode::kExecutable}}, "mode.change"},
        BadTree{"ModeLost",
                {{"src/run.sh", "walk\n"}},
                "mode.change",
                {{"src/run.sh", "walk\n", FileMode::kExecutable}}},
        BadTree{"NewExecutable", {{"src/new", "x\n", FileMode::kExecutable}}, "mode.executable"},
        BadTree{"ShortName", {{"src/git~1", "x\n"}}, "path.short_name"},
        BadTree{"InvisibleName",
                {{"src/.g\xE2\x80\x8C"
                  "it",
                  "x\n"}},
                "path.invisible"},
        BadTree{"Decomposed", {{"src/e\xCC\x81.c", "x\n"}}, "path.nfc"},
        BadTree{"CaseAlias", {{"src/A.C", "x\n"}}, "path.alias"},
        BadTree{"CaseRename", {{"src/b.c", std::nullopt}, {"src/B.c", "b\n"}}, "path.alias"},
        BadTree{"DirectoryAlias", {{"src/Lib/n.c", "x\n"}}, "path.alias", {{"src/lib/n.c", "x\n"}}},
        BadTree{"DirectoryReplacedByFile",
                {{"src/mixed/keep.lock", std::nullopt},
                 {"src/mixed/z.c", std::nullopt},
                 {"src/mixed", "x\n"}},
                "protected"},
        BadTree{"Nul", {{"src/a.c", std::string("\0", 1)}}, "content.nul"},
        BadTree{"TooLarge",
                {{"src/a.c", std::string(4097, 'x')}},
                "content.size",
                {{"src/a.c", std::string(4096, 'x')}}},
        BadTree{"OutsideABlock", {{"src/blocks.py", "x" + kBlocks}}, "region.outside"},
        BadTree{"BlocksDeleted", {{"src/blocks.py", std::nullopt}}, "region.outside"},
        BadTree{"MarkersIntroduced",
                {{"src/a.c", "// EVOLVE-BLOCK-START\n// EVOLVE-BLOCK-END\n"}},
                "region.introduced"},
        BadTree{"MalformedBase", {{"src/bad_blocks.py", "# ok\n"}}, "region.base"}),
    tree_name);

TEST(EditWindow, CheckRefusesATreeWithTooManyFiles) {
  Window w;
  std::vector<TreeChange> changes;
  for (std::size_t i = 0; i <= kMaxVariantFiles; ++i) {
    changes.push_back({"src/n" + std::to_string(i), "x\n"});
  }
  EXPECT_EQ(rule(w.check(changes)), "edit.files");
  changes.pop_back();
  EXPECT_EQ(rule(w.check(changes)), "admitted");
}

TEST(EditWindow, TheBaseItselfPassesWithNoDeltas) {
  Window w;
  const auto decision = w.window.check(w.base).value();
  ASSERT_EQ(rule(decision), "admitted");
  EXPECT_EQ(std::get<Admission>(decision).patch_files, 0U);
}

TEST(EditWindow, ASurfaceThatCannotBeObeyedRefusesEverything) {
  Window w;
  Surface surface = kSurface;
  surface.deny.push_back({"src/[ab].c", "instar.yaml:7"});
  EditWindow window(surface, w.store, w.base);
  for (int call = 0; call < 2; ++call) {
    const auto decision = window.admit(w.base, write("src/new.c"));
    ASSERT_FALSE(decision);
    EXPECT_EQ(decision.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(decision.error().message, HasSubstr("instar.yaml:7"));
  }
  EXPECT_FALSE(window.check(w.base));
}

TEST(EditWindow, AFaultOfTheStoreIsAnErrorAndNotARefusal) {
  Window w;
  const auto decision = w.window.admit(TreeId{}, write("src/new.c"));
  ASSERT_FALSE(decision);
  EXPECT_EQ(decision.error().code, ErrorCode::kNotFound);
}

RC_GTEST_PROP(EditWindow, WhateverIsAdmittedStaysOnTheSurfaceAndWhateverIsRefusedLeavesNothing,
              ()) {
  Window w;
  const auto path = rc::gen::element<std::string>(
      "src/a.c", "src/b.c", "src/blocks.py", "src/link", "src/lib", "src/lib/x.c", "src/tests/t.c",
      "src/new.c", "src/New.c", "Makefile", "README.md", ".gitignore", "src/a.c/x", "src/run.sh",
      "src/../x", "src/mixed/z.c", "src/mixed", "src/vendor/v.c");
  const auto text = rc::gen::element<std::string>("b\n", "x\n", "", kBlocks, "one\ntwo\n", "a\r\n");
  const auto edits = *rc::gen::resize(
      4, rc::gen::container<std::vector<WholeFile>>(rc::gen::map(
             rc::gen::tuple(path, text, rc::gen::arbitrary<bool>()), [](const auto& parts) {
               const auto& [where, what, removed] = parts;
               return WholeFile{where, removed ? std::nullopt : std::optional(what)};
             })));
  const auto trees = w.store.trees_in_memory();
  const auto decision = w.admit({edits.begin(), edits.end()});
  if (std::holds_alternative<Refusal>(decision)) {
    RC_ASSERT(w.store.trees_in_memory() == trees);
    return;
  }
  const auto& admission = std::get<Admission>(decision);
  for (const auto& delta : admission.deltas) {
    RC_ASSERT(delta.path().starts_with("src/") || delta.path() == "README.md");
    RC_ASSERT(!delta.path().starts_with("src/tests/") && !delta.path().starts_with("src/vendor/"));
    RC_ASSERT(!delta.before || delta.before->mode != FileMode::kSymlink);
  }
  for (const WholeFile& edit : edits) {
    RC_ASSERT(w.content(admission.tree, edit.path) == edit.content.value_or("absent"));
  }
  RC_ASSERT(std::holds_alternative<Admission>(w.window.check(admission.tree).value()));
}

}  // namespace
}  // namespace instar::engine
