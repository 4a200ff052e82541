#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/generators/factory.h"
#include "engine/generators/family.h"
#include "engine/syntax/syntax_tree.h"
#include "tests/support/generator_world.h"

namespace instar::engine {
namespace {

using checkpoints::FakeStore;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::Files;
using testing_support::World;

const char* const kTriangle =
    "def kind(a, b, c):\n"
    "    \"\"\"What triangle this is.\"\"\"\n"
    "    if a + b < c or b + c <= a or not a + c > b:\n"
    "        return 'none'\n"
    "    sides = sorted([a, b, c])\n"
    "    for i in range(len(sides)):\n"
    "        if sides[i] == 0:\n"
    "            continue\n"
    "    flag = True\n"
    "    count = mix(a, b) | 1\n"
    "    count += 1\n"
    "    return count\n"
    "\n"
    "def mix(x, y):\n"
    "    x = x - y\n"
    "    return x * y\n";

TEST(Mutate, EveryProposalParsesAppliesDiffersAndIsNew) {
  World world(Files{{"src/tri.py", kTriangle}});
  const auto proposals = world.all();
  EXPECT_GT(proposals.size(), 300U);
  Parser parser;
  std::set<std::string> results;
  for (const auto& proposal : proposals) {
    const std::string text = world.apply(proposal);
    EXPECT_NE(text, kTriangle) << proposal.purpose;
    EXPECT_TRUE(results.insert(text).second) << proposal.purpose << " gives nothing new";
    const auto tree = parser.parse(kPython, text);
    ASSERT_TRUE(tree);
    EXPECT_EQ(tree->errors(), 0U) << text;
    EXPECT_EQ(proposal.parent, "base");
    EXPECT_EQ(proposal.provenance.generator, "mutate");
  }
  EXPECT_FALSE(world.next()) << "exhausted stays exhausted";
}

TEST(Mutate, EveryFamilyWithASiteComesEarlyAndDeletionsAreFew) {
  World world(Files{{"src/tri.py", kTriangle}});
  const auto proposals = world.all(120);
  std::map<std::string, int> counts;
  for (const auto& one : proposals) ++counts[one.provenance.family];
  for (const Family* family : families()) {
    if (family->name == "break-continue") continue;  // its share is used up with its only site
    EXPECT_GE(counts[std::string(family->name)], 1) << family->name;
  }
  EXPECT_LT(counts["delete-statement"], counts["relational"]);
  EXPECT_LT(counts["delete-statement"], 8);
}

std::vector<std::string> purposes(std::uint64_t seed) {
  World world(
      Files{{"src/tri.py", kTriangle}, {"src/b.c", "int f(int a, int b) { return a - b; }\n"}},
      seed);
  std::vector<std::string> made;
  for (const auto& one : world.all(200)) made.push_back(one.purpose);
  return made;
}

TEST(Mutate, SameSeedGivesTheSameListAnotherSeedAnotherOrder) {
  EXPECT_EQ(purposes(1), purposes(1));
  EXPECT_NE(purposes(1), purposes(2));
}

TEST(Mutate, StaysOnTheSurfaceAndInKnownLanguages) {
  World world(Files{{"src/a.py", "def f(a, b):\n    return a < b\n"},
                    {"tests/t.py", "def f(a, b):\n    return a < b\n"},
                    {"README.md", "a < b\n"}},
              1, [](const std::string& path) { return path.starts_with("src/"); });
  const auto proposals = world.all();
  EXPECT_FALSE(proposals.empty());
  for (const auto& one : proposals) {
    EXPECT_EQ(std::get<SyntaxEdit>(one.edits.at(0)).path, "src/a.py");
  }
}

TEST(Mutate, StaysInsideEvolveBlocks) {
  const std::string before = "def f(a, b):\n    return a < b\n# EVOLVE-BLOCK-START\n";
  const std::string inside = "def g(a, b):\n    return a < b\n";
  const std::string after = "# EVOLVE-BLOCK-END\ndef h(a, b):\n    return a < b\n";
  World world(Files{{"a.py", before + inside + after}});
  const auto proposals = world.all();
  EXPECT_GT(proposals.size(), 5U);
  for (const auto& one : proposals) {
    const std::string text = world.apply(one);
    EXPECT_TRUE(text.starts_with(before)) << one.purpose;
    EXPECT_TRUE(text.ends_with(after)) << one.purpose;
  }
}

TEST(Mutate, PurposeNamesPlaceFamilyAndChange) {
  World world(Files{{"src/tri.c", "int f(int a, int b) {\n  return a < b;\n}\n"}});
  std::vector<std::string> made;
  for (const auto& one : world.all()) made.push_back(one.purpose);
  EXPECT_THAT(made, testing::Contains("src/tri.c:2: relational: replace `<` by `<=`"));
  EXPECT_THAT(made, testing::Contains("src/tri.c:2: delete-statement: delete `return a < b;`"));
}

TEST(Mutate, PurposeIsOneEscapedLineOfBoundedLength) {
  const std::string long_name(500, 'n');
  World world(Files{{"a\x1b[31m.py", "def f(a, " + long_name +
                                         "):\n    a = [a,\n         1, '\x1b[2J']\n"
                                         "    return " +
                                         long_name + "\n"}});
  const auto proposals = world.all();
  EXPECT_GT(proposals.size(), 5U);
  for (const auto& one : proposals) {
    EXPECT_LT(one.purpose.size(), 400U);
    EXPECT_EQ(one.purpose.find('\n'), std::string::npos);
    EXPECT_EQ(one.purpose.find('\x1b'), std::string::npos);
  }
}

TEST(Mutate, FingerprintDoesNotDependOnWhereTheFileStands) {
  const auto fingerprints = [](const std::string& before) {
    World world(Files{{"a.py", before + "def f(a, b):\n    return a < b\n"}});
    std::set<std::string> made;
    for (const auto& one : world.all()) made.insert(one.provenance.fingerprint);
    return made;
  };
  EXPECT_EQ(fingerprints(""), fingerprints("\n\n\n"));
}

TEST(Mutate, FunctionsNamedLikeFailingTestsComeFirst) {
  std::string source;
  for (const char* name : {"alpha", "beta", "gamma", "delta", "omega"}) {
    source += std::string("def ") + name + "(a, b):\n    c = a + b\n    return c < a - b\n\n";
  }
  World world(Files{{"a.py", source}});
  world.base_evaluation.tests[{"test", "", "test_gamma_of_two"}] = TestOutcome::kFailed;
  int in_gamma = 0;
  const std::size_t begin = source.find("def gamma");
  const std::size_t end = source.find("def delta");
  for (const auto& one : world.all(40)) {
    const auto& edit = std::get<SyntaxEdit>(one.edits.at(0));
    in_gamma += edit.begin >= begin && edit.end <= end ? 1 : 0;
  }
  EXPECT_GT(in_gamma, 24) << "an even share would be 8";
}

TEST(Mutate, LearnsWhichFunctionMovesTheFailingTest) {
  std::string source;
  for (const char* name : {"alpha", "beta", "gamma", "delta", "omega"}) {
    source += std::string("def ") + name + "(a, b):\n    c = a + b\n    return c < a - b\n\n";
  }
  const std::size_t begin = source.find("def beta");
  const std::size_t end = source.find("def gamma");
  const auto share = [&](bool tell) {
    World world(Files{{"a.py", source}});
    const TestId failing{"test", "", "first"};
    world.base_evaluation.tests[failing] = TestOutcome::kFailed;
    int inside = 0;
    for (int n = 0; n < 80; ++n) {
      const auto one = world.next();
      const auto& edit = std::get<SyntaxEdit>(one->edits.at(0));
      const bool in_beta = edit.begin >= begin && edit.end <= end;
      inside += in_beta ? 1 : 0;
      Evaluation told;
      told.verdict = Verdict::kFailed;
      told.tests[failing] = in_beta ? TestOutcome::kTimeout : TestOutcome::kFailed;
      if (tell) world.generator->observe({&*one, "rejected", &told});
    }
    return inside;
  };
  EXPECT_GT(share(true), share(false) + 10);
}

TEST(Mutate, TextsWithErrorsAreOnlyTouchedOutsideOfThem) {
  const std::string source = "def f(a, b):\n    return a < b\n\ndef broken(:\n    return ((a <\n";
  World world(Files{{"a.py", source}});
  Parser parser;
  const auto before = parser.parse(kPython, source);
  ASSERT_GT(before->errors(), 0U);
  for (const auto& one : world.all()) {
    const auto after = parser.parse(kPython, world.apply(one));
    EXPECT_LE(after->errors(), before->errors()) << one.purpose;
  }
}

TEST(Mutate, FilesThatNoParserCanTakeAreSkipped) {
  World world(Files{{"nul.py", std::string("a = 1\0b = 2\n", 12)},
                    {"big.py", std::string(Parser::kMaxTextBytes + 1, '\n')},
                    {"good.py", "def f(a, b):\n    return a < b\n"}});
  const auto proposals = world.all();
  EXPECT_GT(proposals.size(), 5U);
  for (const auto& one : proposals) {
    EXPECT_EQ(std::get<SyntaxEdit>(one.edits.at(0)).path, "good.py");
  }
}

TEST(Mutate, HostileNestingAndLengthCostNoStackAndLittleTime) {
  const std::string deep(500, '(');
  std::string wide = "x = f(0";
  for (int n = 0; n < 500; ++n) wide += ", a";
  World world(Files{
      {"deep.py", "def f(a, b):\n    return " + deep + "a" + std::string(deep.size(), ')') + "\n"},
      {"wide.py", wide + ")\n"},
      {"blocks.c",
       "int f(int a) " + std::string(500, '{') + "return a;" + std::string(500, '}') + "\n"}});
  Parser parser;
  std::set<std::string> touched;
  for (const auto& one : world.all(40)) {
    const auto& edit = std::get<SyntaxEdit>(one.edits.at(0));
    touched.insert(edit.path);
    EXPECT_LT(edit.replacement.size(), 5000U);
    const auto tree = parser.parse(*language_for(edit.path), world.apply(one));
    ASSERT_TRUE(tree);
    EXPECT_EQ(tree->errors(), 0U);
  }
  EXPECT_EQ(touched.size(), 3U);
}

TEST(Mutate, CarriageReturnsAndUnicodeNamesStay) {
  World world(
      Files{{"a.py", "def größe(länge, höhe):\r\n    länge = länge + 1\r\n    return höhe\r\n"}});
  const auto proposals = world.all();
  EXPECT_GT(proposals.size(), 10U);
  for (const auto& one : proposals) {
    const std::string text = world.apply(one);
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
      EXPECT_EQ(text[at - 1], '\r') << one.purpose;
    }
  }
}

TEST(Mutate, NothingToDoIsExhausted) {
  World world(Files{{"README.md", "hello"}, {"empty.py", ""}});
  EXPECT_FALSE(world.next());
}

TEST(Mutate, UnknownKindMakesNoGenerator) {
  FakeStore store;
  EXPECT_EQ(make_generator(
                {.kind = "oracle"}, store, [](const std::string&) { return true; }, 1),
            nullptr);
}

}  // namespace
}  // namespace instar::engine
