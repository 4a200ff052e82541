#include <gtest/gtest.h>

#include "tests/support/edit_window_fixture.h"

namespace instar::engine {
namespace {

using namespace edit_window_test;

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

}  // namespace
}  // namespace instar::engine
