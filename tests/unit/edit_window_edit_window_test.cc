#include "engine/edit_window/edit_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/edit_window_fixture.h"

namespace instar::engine {
namespace {

using namespace edit_window_test;
using testing::HasSubstr;

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
