#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/syntax/names.h"

namespace instar::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// A parsed text whose identifiers can be pointed at by their nth occurrence.
struct Names {
  SyntaxTree tree;
  NameIndex index;
  explicit Names(const Language& language, const std::string& text)
      : tree(std::move(*Parser().parse(language, text))), index(tree) {}

  [[nodiscard]] NodeId node(std::string_view name, int occurrence) const {
    for (NodeId id = 0; id < tree.nodes().size(); ++id) {
      if (index.use_of(id) != NameUse::kNone && tree.text_of(id) == name && occurrence-- == 0) {
        return id;
      }
    }
    ADD_FAILURE() << "no " << name;
    return 0;
  }
  [[nodiscard]] std::vector<std::string> alternatives(std::string_view name, int occurrence) const {
    std::vector<std::string> texts;
    for (const NameId one : index.alternatives(node(name, occurrence), 100)) {
      texts.emplace_back(index.text(one));
    }
    return texts;
  }
};

TEST(Names, InnerScopesComeBeforeOuterOnes) {
  const Names names(kPython, "top = 1\ndef f(a):\n    b = 2\n    def g(c):\n        return a\n");
  EXPECT_THAT(names.alternatives("a", 1), ElementsAre("c", "b", "top"));
}

TEST(Names, PythonBindingFormsDeclare) {
  const Names names(kPython,
                    "def f(a, b=1, *c, d: int, **e):\n    (g, h), i = a\n    for j in a: pass\n"
                    "    with a as k: pass\n    if (m := a): pass\n    return a\n");
  EXPECT_THAT(names.alternatives("a", 5),
              UnorderedElementsAre("b", "c", "d", "e", "g", "h", "i", "j", "k", "m"));
}

TEST(Names, CDeclaratorsDeclare) {
  const Names names(kC,
                    "#define N 4\nint top;\nint f(int a, char *b, int c[N], int (*cb)(int hid)) {\n"
                    "  int d = 1, *e = 0;\n  return a;\n}\nint later;\n");
  EXPECT_THAT(names.alternatives("a", 1),
              UnorderedElementsAre("b", "c", "cb", "d", "e", "N", "top"));
}

TEST(Names, SameDeclaredTypeComesFirstInC) {
  const Names names(kC, "int f(int a, char *near, int far) { return g(near, a); }\n");
  EXPECT_EQ(names.alternatives("a", 1).front(), "far");
}

TEST(Names, BlocksEndTheScopeOfTheirNamesInC) {
  const Names names(kC, "int f(int a) { { int b; } return a; }\n");
  EXPECT_THAT(names.alternatives("a", 1), IsEmpty());
}

TEST(Names, CalleesAndValuesDoNotMix) {
  const Names names(kPython, "def f(a, b):\n    return g(a) + h(b)\n");
  EXPECT_THAT(names.alternatives("g", 0), ElementsAre("f", "h"));
  EXPECT_THAT(names.alternatives("b", 1), ElementsAre("a"));
}

TEST(Names, MembersOfTheSameObjectComeFirst) {
  const Names names(kC, "int f(struct s *p, struct s *q) { return q->other + p->x + p->y; }\n");
  EXPECT_THAT(names.alternatives("x", 0), ElementsAre("y", "other"));
}

TEST(Names, KeywordNamesAndTypesAreNoNames) {
  const Names names(kPython, "def f(a: int):\n    return g(key=a)\n");
  int seen = 0;
  for (NodeId id = 0; id < names.tree.nodes().size(); ++id) {
    if (names.tree.text_of(id) != "key" && names.tree.text_of(id) != "int") continue;
    EXPECT_EQ(names.index.use_of(id), NameUse::kNone) << names.tree.text_of(id);
    ++seen;
  }
  EXPECT_GE(seen, 2);
}

TEST(Names, VisibilityFollowsTheScope) {
  const Names names(kC, "int f(int a) { return a; }\nint g(int b) { return b + puts; }\n");
  const NodeId in_g = names.node("b", 1);
  EXPECT_TRUE(names.index.visible(names.index.name_of(in_g), in_g));
  EXPECT_FALSE(names.index.visible(names.index.name_of(names.node("a", 1)), in_g));
  EXPECT_TRUE(names.index.visible(names.index.name_of(names.node("puts", 0)), in_g));
}

}  // namespace
}  // namespace instar::engine
