#include "engine/syntax/syntax_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

namespace instar::engine {
namespace {

SyntaxTree parsed(const Language& language, const std::string& text) {
  Parser parser;
  auto tree = parser.parse(language, text);
  EXPECT_TRUE(tree) << tree.error().message;
  return std::move(*tree);
}

std::size_t count(const SyntaxTree& tree, Role role) {
  return static_cast<std::size_t>(
      std::count_if(tree.nodes().begin(), tree.nodes().end(),
                    [&](const Node& node) { return node.role == role; }));
}

TEST(SyntaxTree, KnowsLanguagesByExtension) {
  EXPECT_EQ(language_for("src/a.py"), &kPython);
  EXPECT_EQ(language_for("a.c"), &kC);
  EXPECT_EQ(language_for("a.h"), &kC);
  EXPECT_EQ(language_for("a.md"), nullptr);
  EXPECT_EQ(language_for("c"), nullptr);
}

TEST(SyntaxTree, EveryKindOfTheTablesExistsInItsGrammar) {
  // One text per language that has each kind once; a renamed kind would leave its role unseen.
  const SyntaxTree python = parsed(kPython,
                                   "class A:\n  def f(self, a, b=1):\n    global g\n"
                                   "    x = lambda y: -y\n    x += a.b[1:2](b, k=2.0)\n"
                                   "    for i in (a + b): break\n    while not a: continue\n"
                                   "    assert a < b and True or False\n"
                                   "    return 'x' if a else b  # why\n");
  for (const Role role : {Role::kBinary,
                          Role::kComparison,
                          Role::kBoolean,
                          Role::kUnary,
                          Role::kNot,
                          Role::kAssignment,
                          Role::kConditional,
                          Role::kGuard,
                          Role::kCall,
                          Role::kArguments,
                          Role::kKeywordArgument,
                          Role::kSubscript,
                          Role::kSlice,
                          Role::kMember,
                          Role::kParenthesized,
                          Role::kIdentifier,
                          Role::kInteger,
                          Role::kString,
                          Role::kTrue,
                          Role::kFalse,
                          Role::kFunction,
                          Role::kClass,
                          Role::kBlock,
                          Role::kStatement,
                          Role::kReturn,
                          Role::kBreak,
                          Role::kContinue,
                          Role::kDeclaration,
                          Role::kParameters,
                          Role::kComment}) {
    EXPECT_GT(count(python, role), 0U) << static_cast<int>(role);
  }
  const SyntaxTree c = parsed(kC,
                              "#include <stdbool.h>\nint f(int a, struct s *p) {\n"
                              "  int x = -a;\n  x += p->b[1] + g(a, 2);\n"
                              "  for (;;) { break; }\n  while (!(a < 1)) { continue; }\n"
                              "  x++; /* why */\n  return a ? true : false && \"s\";\n}\n");
  for (const Role role :
       {Role::kBinary,      Role::kUnary,      Role::kUpdate,        Role::kAssignment,
        Role::kConditional, Role::kCall,       Role::kArguments,     Role::kSubscript,
        Role::kMember,      Role::kMemberName, Role::kParenthesized, Role::kIdentifier,
        Role::kInteger,     Role::kString,     Role::kTrue,          Role::kFalse,
        Role::kFunction,    Role::kBlock,      Role::kStatement,     Role::kReturn,
        Role::kBreak,       Role::kContinue,   Role::kDeclaration,   Role::kParameters,
        Role::kComment}) {
    EXPECT_GT(count(c, role), 0U) << static_cast<int>(role);
  }
}

TEST(SyntaxTree, NodesAreLinkedInDocumentOrder) {
  const SyntaxTree tree = parsed(kPython, "def f(a):\n    return a + 1\n\nx = f(2)\n");
  EXPECT_EQ(tree.at(0).parent, kNoNode);
  for (NodeId id = 1; id < tree.nodes().size(); ++id) {
    const Node& node = tree.at(id);
    ASSERT_LT(node.parent, id);
    EXPECT_LE(tree.at(node.parent).begin, node.begin);
    EXPECT_GE(tree.at(node.parent).end, node.end);
    bool found = false;
    for (NodeId c = tree.at(node.parent).first_child; c != kNoNode; c = tree.at(c).next) {
      found = found || c == id;
    }
    EXPECT_TRUE(found);
  }
}

TEST(SyntaxTree, LinesCountFromOne) {
  const SyntaxTree tree = parsed(kPython, "a\nb\n\nc");
  EXPECT_EQ(tree.line_of(0), 1U);
  EXPECT_EQ(tree.line_of(1), 1U);
  EXPECT_EQ(tree.line_of(2), 2U);
  EXPECT_EQ(tree.line_of(5), 4U);
  EXPECT_EQ(tree.line_start(5), 5U);
}

TEST(SyntaxTree, ErrorsAreCountedAndMarked) {
  EXPECT_EQ(parsed(kC, "int f(void) { return 1; }\n").errors(), 0U);
  const SyntaxTree broken = parsed(kC, "int ok(void) { return 1; }\nint f( { return ((; }\n");
  EXPECT_GT(broken.errors(), 0U);
  EXPECT_TRUE(broken.at(0).has_error);
  EXPECT_FALSE(broken.at(1).has_error) << "the function before is whole";
}

TEST(SyntaxTree, ParsesWithTellsGoodEditsFromBad) {
  Parser parser;
  const SyntaxTree tree = parsed(kPython, "def f(a):\n    return a < 1\n");
  const auto at = static_cast<std::uint32_t>(tree.text().find('<'));
  EXPECT_TRUE(parser.parses_with(tree, at, at + 1, "<="));
  EXPECT_FALSE(parser.parses_with(tree, at, at + 1, "< <"));
  EXPECT_FALSE(parser.parses_with(tree, at, at + 1, std::string_view("\0", 1)));
  const auto colon = static_cast<std::uint32_t>(tree.text().find(':'));
  EXPECT_FALSE(parser.parses_with(tree, colon, colon + 1, "")) << "nothing begins the body";
}

TEST(SyntaxTree, ParsesWithAcceptsGoodEditsOfOneItemAmongMany) {
  Parser parser;
  for (const auto& [language, item] : {std::pair{&kPython, "def f(a):\n    return a < 1\n\n"},
                                       std::pair{&kC, "int f(int a) { return a < 1; }\n"}}) {
    std::string text;
    for (int n = 0; n < 5; ++n) text += item;
    const SyntaxTree tree = parsed(*language, text);
    for (auto at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
      const auto begin = static_cast<std::uint32_t>(at);
      ASSERT_TRUE(tree.item_lines(begin, begin + 1));
      EXPECT_TRUE(parser.parses_with(tree, begin, begin + 1, "<="));
      EXPECT_FALSE(parser.parses_with(tree, begin, begin + 1, "<)"));
    }
  }
}

TEST(SyntaxTree, ParsesWithAsksForNoMoreErrorsThanBefore) {
  Parser parser;
  const std::string text = "def f(a):\n    return a < 1\n\ndef g(:\n";
  const SyntaxTree tree = parsed(kPython, text);
  ASSERT_GT(tree.errors(), 0U);
  const auto at = static_cast<std::uint32_t>(text.find('<'));
  EXPECT_TRUE(parser.parses_with(tree, at, at + 1, "<="));
  EXPECT_FALSE(parser.parses_with(tree, at, at + 1, "<)"));
}

/// A yes is a yes for the whole text, whatever was parsed to find it: what the edit window and the
/// next parent will see. And a plain good edit is not refused.
RC_GTEST_PROP(SyntaxTree, WhatParsesInItsItemParsesInTheWhole, ()) {
  static const std::string kTexts[] = {
      "import q\n\ndef f(a, b):\n    if a < b:\n        return g(a)[1:b]\n    x = 'q'  # c\n"
      "    return -a\n\n@d\nclass A:\n    def g(self):\n        return {1: [2]}\n\nx = f(1)\n",
      "#define N 3\nint f(int a, char *b) {\n  for (int i = 0; i < a; i++) {\n    b[i] = 'x';\n"
      "  }\n  return a ? 1 : g(b); /* c */\n}\n#if N\nint g(void);\n#endif\nint h = 1;\n"
      "static int k(void) { return h; }\n"};
  static const std::string kPieces[] = {"",  " ",  "\n", "a",    "(",    ")",       "[", "]",  "'",
                                        ":", ";",  "<",  "+ 1",  "not ", "!a",      "{", "}",  "#",
                                        "/", "\t", ",",  "pass", "if a", "    x\n", "=", "**", "é"};
  const auto which = *rc::gen::inRange<std::size_t>(0, 2);
  const std::string& text = kTexts[which];
  const Language& language = which == 0 ? kPython : kC;
  const auto begin = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(text.size()));
  const auto end = begin + *rc::gen::inRange<std::uint32_t>(
                               0, std::min<std::uint32_t>(
                                      12, static_cast<std::uint32_t>(text.size()) - begin + 1));
  const std::string piece = kPieces[*rc::gen::inRange<std::size_t>(0, std::size(kPieces))];
  Parser parser;
  const auto tree = parser.parse(language, text);
  std::string edited = text;
  edited.replace(begin, end - begin, piece);
  const auto whole = parser.parse(language, edited);
  RC_ASSERT(tree.has_value() && whole.has_value());
  if (parser.parses_with(*tree, begin, end, piece)) RC_ASSERT(whole->errors() == 0U);
  RC_CLASSIFY(whole->errors() == 0U);
}

TEST(SyntaxTree, RefusesWhatItCannotRead) {
  Parser parser;
  EXPECT_FALSE(parser.parse(kPython, std::string("a\0b", 3)));
  EXPECT_FALSE(parser.parse(kPython, std::string(Parser::kMaxTextBytes + 1, 'a')));
  EXPECT_TRUE(parser.parse(kPython, std::string(1000, 'a')));
  EXPECT_TRUE(parser.parse(kPython, ""));
  EXPECT_TRUE(parser.parse(kC, "\xff\xfe\x80"));
}

TEST(SyntaxTree, DeepNestingNeedsNoStack) {
  for (const Language* language : languages()) {
    const std::string deep = "x = " + std::string(50'000, '(') + "1" + std::string(50'000, ')') +
                             (language == &kC ? ";" : "\n");
    const std::string text = language == &kC ? "int f(void) { int " + deep + "}" : deep;
    Parser parser;
    const auto tree = parser.parse(*language, text);
    ASSERT_TRUE(tree) << language->name;
    EXPECT_GT(tree->nodes().size(), 50'000U);
    const auto at = static_cast<std::uint32_t>(text.find('1'));
    EXPECT_TRUE(parser.parses_with(*tree, at, at + 1, "2"));
  }
}

RC_GTEST_PROP(SyntaxTree, AnyBytesGiveATreeOrAnError, (const std::string& text)) {
  Parser parser;
  for (const Language* language : languages()) {
    const auto tree = parser.parse(*language, text);
    RC_ASSERT(tree.has_value() || text.find('\0') != std::string::npos);
    if (tree) RC_ASSERT(tree->nodes().front().end <= text.size());
  }
}

}  // namespace
}  // namespace instar::engine
