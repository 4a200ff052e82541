#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/generators/family.h"
#include "engine/syntax/language.h"

namespace instar::engine {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

const Family& family_named(std::string_view name) {
  for (const Family* family : families()) {
    if (family->name == name) return *family;
  }
  ADD_FAILURE() << "no family " << name;
  return *families().front();
}

/// Every text that the family makes of `source`, site by site, in order; asserts that each parses.
std::vector<std::string> results(std::string_view family, const Language& language,
                                 const std::string& source) {
  Parser parser;
  const auto file = SourceFile::parse(parser, language, source);
  EXPECT_TRUE(file);
  const Family& made = family_named(family);
  std::vector<std::string> texts;
  for (NodeId node = 1; node < (*file)->tree().nodes().size(); ++node) {
    const Site site{**file, node};
    if (!made.applies(site)) continue;
    Candidates candidates;
    made.enumerate(site, candidates);
    for (const Candidate& one : candidates.all()) {
      std::string text = source;
      text.replace(one.begin, one.end - one.begin, one.text);
      EXPECT_TRUE(parser.parses_with((*file)->tree(), one.begin, one.end, one.text)) << text;
      texts.push_back(std::move(text));
    }
  }
  return texts;
}

/// The same for one line of a function's body, given and shown without what is around it.
std::vector<std::string> python(std::string_view family, const std::string& line) {
  const std::string before = "def f(a, b):\n    ";
  std::vector<std::string> lines;
  for (const auto& text : results(family, kPython, before + line + "\n")) {
    lines.push_back(text.substr(before.size(), text.size() - before.size() - 1));
  }
  return lines;
}
std::vector<std::string> c(std::string_view family, const std::string& line) {
  const std::string before = "int f(int a, int b) {\n  ";
  std::vector<std::string> lines;
  for (const auto& text : results(family, kC, before + line + "\n}\n")) {
    lines.push_back(text.substr(before.size(), text.size() - before.size() - 3));
  }
  return lines;
}

TEST(Families, RelationalGivesEveryOtherOperatorLikeliestFirst) {
  EXPECT_THAT(python("relational", "return a < b"),
              ElementsAre("return a <= b", "return a > b", "return a >= b", "return a != b",
                          "return a == b"));
  EXPECT_THAT(c("relational", "return a == b;"),
              ElementsAre("return a != b;", "return a <= b;", "return a >= b;", "return a < b;",
                          "return a > b;"));
  EXPECT_THAT(python("relational", "return a not in b"), ElementsAre("return a in b"));
  EXPECT_THAT(python("relational", "return a is b"), ElementsAre("return a is not b"));
  EXPECT_THAT(c("relational", "return a + b;"), IsEmpty());
}

TEST(Families, ArithmeticGivesOtherOperatorsOfTheLanguage) {
  EXPECT_THAT(python("arithmetic", "return a + b"),
              ElementsAre("return a - b", "return a * b", "return a // b", "return a % b"));
  EXPECT_THAT(c("arithmetic", "return a / b;"),
              ElementsAre("return a * b;", "return a % b;", "return a - b;", "return a + b;"));
  EXPECT_THAT(c("arithmetic", "a++;"), ElementsAre("a--;"));
  EXPECT_THAT(c("arithmetic", "return a & b;"), IsEmpty());
}

TEST(Families, LogicalSwapsAndWithOr) {
  EXPECT_THAT(python("logical", "return a and b"), ElementsAre("return a or b"));
  EXPECT_THAT(c("logical", "return a || b;"), ElementsAre("return a && b;"));
}

TEST(Families, BitwiseStaysAmongBitwiseOperators) {
  EXPECT_THAT(python("bitwise", "return a & b"),
              ElementsAre("return a | b", "return a ^ b", "return a << b", "return a >> b"));
  EXPECT_THAT(c("bitwise", "return a >> b;"),
              ElementsAre("return a << b;", "return a & b;", "return a | b;"));
  EXPECT_THAT(c("bitwise", "return &a;"), IsEmpty());
}

TEST(Families, AssignmentOperatorsChange) {
  EXPECT_THAT(python("assignment", "a += b"), ElementsAre("a -= b", "a = b", "a *= b"));
  EXPECT_THAT(c("assignment", "a = b;"), ElementsAre("a += b;", "a -= b;"));
}

TEST(Families, ConstantGivesTheRequiredConstants) {
  EXPECT_THAT(python("constant", "return 5"),
              ElementsAre("return 6", "return 4", "return 0", "return 1", "return -1", "return -5",
                          "return 2"));
  EXPECT_THAT(c("constant", "return a + 1;"), ElementsAre("return a + 2;", "return a + 0;"));
  EXPECT_THAT(
      c("constant", "return 0x10;"),
      ElementsAre("return 0x11;", "return 0xf;", "return 0x0;", "return 0x1;", "return 0x2;"));
  EXPECT_THAT(python("constant", "return -1"),
              ElementsAre("return 0", "return -2", "return 1", "return 2"));
  EXPECT_THAT(python("constant", "return 0.5"),
              ElementsAre("return 0.0", "return 1.0", "return 2.0"));
  EXPECT_THAT(c("constant", "return 010;"), IsEmpty()) << "an octal number is not touched";
  EXPECT_THAT(python("constant", "return 99999999999999999999"), IsEmpty());
}

TEST(Families, OffByOneAtBoundsIndicesArgumentsAndResults) {
  EXPECT_THAT(
      python("off-by-one", "return a[b]"),
      ElementsAre("return a[b] - 1", "return a[b] + 1", "return a[b - 1]", "return a[b + 1]"));
  EXPECT_THAT(python("off-by-one", "x = a[1:b]"),
              ElementsAre("x = a[1:b] - 1", "x = a[1:b] + 1", "x = a[1:b - 1]", "x = a[1:b + 1]"));
  EXPECT_THAT(c("off-by-one", "while (a < b) a++;"),
              ElementsAre("while (a - 1 < b) a++;", "while (a + 1 < b) a++;",
                          "while (a < b - 1) a++;", "while (a < b + 1) a++;"));
  EXPECT_THAT(c("off-by-one", "f(a);"), ElementsAre("f(a - 1);", "f(a + 1);"));
}

TEST(Families, OffByOneDropsAOneAndKeepsPrecedence) {
  EXPECT_THAT(python("off-by-one", "return (a - 1)"), ElementsAre("return a"));
  EXPECT_THAT(c("off-by-one", "return a * 2;"),
              ElementsAre("return a * 2 - 1;", "return a * 2 + 1;", "return (a - 1) * 2;",
                          "return (a + 1) * 2;"));
}

TEST(Families, IdentifierTakesNamesInScopeOfTheSameUse) {
  EXPECT_THAT(python("identifier", "return a"), ElementsAre("return b"));
  EXPECT_THAT(c("identifier", "return b;"), ElementsAre("return a;"));
  EXPECT_THAT(results("identifier", kC, "int f(int a) { return a; }\nint g(int b) { return b; }\n"),
              IsEmpty())
      << "the parameter of another function is not in scope";
  EXPECT_THAT(results("identifier", kPython,
                      "def f(s):\n    return s.low\n\ndef g(t):\n    return t.high\n"),
              Contains("def f(s):\n    return s.high\n\ndef g(t):\n    return t.high\n"));
  EXPECT_THAT(
      results("identifier", kPython, "def f(x):\n    return g(x)\n\ndef h(x):\n    return 0\n"),
      Contains("def f(x):\n    return h(x)\n\ndef h(x):\n    return 0\n"));
}

TEST(Families, IdentifierOfCIsNotUsedBeforeItsDeclaration) {
  const auto texts =
      results("identifier", kC, "int f(int a) { int b = a; int late = b; return a; }\n");
  EXPECT_THAT(texts, Contains("int f(int a) { int b = a; int late = b; return late; }\n"));
  EXPECT_THAT(texts, Not(Contains("int f(int a) { int b = late; int late = b; return a; }\n")));
}

TEST(Families, ArgumentsSwapAndRepeat) {
  EXPECT_THAT(python("argument-swap", "return g(a, b)"),
              ElementsAre("return g(b, a)", "return g(b, b)", "return g(a, a)"));
  EXPECT_THAT(c("argument-swap", "return g(a);"), IsEmpty());
  EXPECT_THAT(python("argument-swap", "return g(a, key=b)"), IsEmpty());
}

TEST(Families, OperandsSwapWhereOrderMatters) {
  EXPECT_THAT(python("operand-swap", "return a - b"),
              ElementsAre("return b - a", "return a", "return b"));
  EXPECT_THAT(c("operand-swap", "return a - b * 2;"),
              ElementsAre("return (b * 2) - a;", "return a;", "return b * 2;", "return a - b;",
                          "return a - 2;"));
  EXPECT_THAT(python("operand-swap", "return a < b"), ElementsAre("return b < a"));
  EXPECT_THAT(python("operand-swap", "return a == b"), IsEmpty());
}

TEST(Families, ConditionsAreNegatedAndNegationsDropped) {
  EXPECT_THAT(python("negate", "if not a: return b"),
              ElementsAre("if a: return b", "if not a: return not b"));
  EXPECT_THAT(python("negate", "if a: return 1"), ElementsAre("if not a: return 1"));
  EXPECT_THAT(c("negate", "if (a) return 1;"), ElementsAre("if (!a) return 1;"));
  EXPECT_THAT(c("negate", "if (!a) return 1;"), ElementsAre("if (a) return 1;"));
  EXPECT_THAT(c("negate", "if (a & b) return 1;"), ElementsAre("if (!(a & b)) return 1;"));
  EXPECT_THAT(python("negate", "while a and b: pass"),
              ElementsAre("while not (a and b): pass", "while a: pass", "while b: pass",
                          "while not a and b: pass", "while a and not b: pass"));
  EXPECT_THAT(c("negate", "if (a < b) return 1;"), IsEmpty()) << "the relational family does it";
}

TEST(Families, BooleanLiteralsFlip) {
  EXPECT_THAT(python("boolean", "return True"), ElementsAre("return False"));
  EXPECT_THAT(c("boolean", "return false;"), ElementsAre("return true;"));
}

TEST(Families, BreakAndContinueChangePlaces) {
  EXPECT_THAT(results("break-continue", kPython, "for i in x:\n    break\n"),
              ElementsAre("for i in x:\n    continue\n"));
  EXPECT_THAT(c("break-continue", "while (a) { continue; }"), ElementsAre("while (a) { break; }"));
}

TEST(Families, ReturnGivesAnotherValueInScope) {
  EXPECT_THAT(python("return-value", "return a + b"), ElementsAre("return a", "return b"));
  EXPECT_THAT(c("return-value", "return a * 2;"), ElementsAre("return a;", "return b;"));
}

TEST(Families, InsertCopiesAStatementBeforeOrBehind) {
  EXPECT_THAT(results("insert-statement", kPython, "def f(a):\n    a += 1\n    return a\n"),
              ElementsAre("def f(a):\n    a += 1\n    a += 1\n    return a\n",
                          "def f(a):\n    a += 1\n    a += 1\n    return a\n"));
}

TEST(Families, InsertMovesACopyToTheIndentationOfItsPlace) {
  EXPECT_THAT(results("insert-statement", kPython,
                      "def f(a):\n    if a:\n        a = g(a,\n              1)\n    return a\n"),
              Contains("def f(a):\n    if a:\n        a = g(a,\n              1)\n    a = g(a,\n"
                       "          1)\n    return a\n"));
}

TEST(Families, InsertLeavesOutStatementsWhoseNamesAreNotInScope) {
  const auto texts = results("insert-statement", kC,
                             "int f(int a) {\n  a++;\n  return a;\n}\nint g(int b) {\n  b--;\n"
                             "  return b;\n}\n");
  for (const auto& text : texts) {
    EXPECT_EQ(text.substr(0, text.find("int g")).find('b'), std::string::npos) << text;
  }
  EXPECT_FALSE(texts.empty());
}

TEST(Families, ReplacePutsACopyInAStatementsPlace) {
  EXPECT_THAT(results("replace-statement", kC, "int f(int a) {\n  a++;\n  return a;\n}\n"),
              ElementsAre("int f(int a) {\n  return a;\n  return a;\n}\n",
                          "int f(int a) {\n  a++;\n  a++;\n}\n"));
}

TEST(Families, SwapExchangesNeighbours) {
  EXPECT_THAT(
      results("swap-statements", kPython, "def f(a):\n    a += 1\n    # why\n    return a\n"),
      ElementsAre("def f(a):\n    return a\n    # why\n    a += 1\n"));
}

TEST(Families, DeleteTakesTheLineOrLeavesTheEmptyStatement) {
  EXPECT_THAT(results("delete-statement", kPython, "def f(a):\n    a += 1\n    return a\n"),
              ElementsAre("def f(a):\n    return a\n", "def f(a):\n    a += 1\n"));
  EXPECT_THAT(python("delete-statement", "a += 1"), ElementsAre("pass"));
  EXPECT_THAT(c("delete-statement", "if (a) b = 1;"), ElementsAre("", "if (a) ;"));
}

TEST(Families, DocstringsAreLeftAlone) {
  for (const Family* family : families()) {
    EXPECT_THAT(python(family->name, "\"\"\"What it does.\"\"\""), IsEmpty()) << family->name;
  }
}

TEST(Families, EachHasANameOfItsOwn) {
  std::vector<std::string_view> names;
  for (const Family* family : families()) {
    EXPECT_THAT(names, Not(Contains(family->name)));
    EXPECT_GT(family->weight, 0);
    names.push_back(family->name);
  }
}

}  // namespace
}  // namespace instar::engine
