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
#include "tests/support/fake_store.h"

namespace instar::engine {
namespace {

using checkpoints::FakeStore;
using checkpoints::TreeId;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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

using Files = std::map<std::string, std::string>;

/// A target in memory and its generator.
struct World {
  FakeStore store;
  Files files;
  TreeId base;
  std::unique_ptr<Generator> generator;
  Evaluation base_evaluation;

  explicit World(
      std::map<std::string, std::string> given, std::uint64_t seed = 1,
      std::function<bool(const std::string&)> may_change = [](const std::string&) { return true; })
      : files(std::move(given)) {
    std::vector<checkpoints::TreeChange> changes;
    for (const auto& [path, text] : files) changes.push_back({path, text});
    base = store.add_tree(changes);
    generator = make_generator({}, store, std::move(may_change), seed);
  }
  [[nodiscard]] Parent base_parent() const { return {"base", base, &base_evaluation}; }
  std::optional<Proposal> next(std::vector<Parent> before = {}) {
    before.push_back(base_parent());
    auto made = generator->next({std::move(before)}, RandomStream(1, "test", 0));
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : std::nullopt;
  }
  std::vector<Proposal> all(std::size_t most = 100000) {
    std::vector<Proposal> proposals;
    while (proposals.size() < most) {
      auto one = next();
      if (!one) break;
      proposals.push_back(std::move(*one));
    }
    return proposals;
  }
  /// The edited file; fails the test when the edit does not apply exactly.
  [[nodiscard]] std::string apply(const Proposal& proposal) const {
    const auto& edit = std::get<SyntaxEdit>(proposal.edits.at(0));
    std::string text = files.at(edit.path);
    EXPECT_LE(edit.begin, edit.end);
    EXPECT_LE(edit.end, text.size());
    EXPECT_EQ(text.substr(edit.begin, edit.end - edit.begin), edit.expected);
    return text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
  }
};

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

TEST(Mutate, FollowsTheNewBestThenReturnsToTheOthers) {
  World world(Files{{"a.py", "def f(a, b):\n    return a < b\n\ndef g(a):\n    return a + 1\n"}});
  const auto first = world.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->parent, "base");
  const std::string changed = world.apply(*first);
  const checkpoints::TreeChange change{"a.py", changed};
  const auto tree = world.store.with_changes(world.base, {&change, 1});
  ASSERT_TRUE(tree);
  Evaluation better;
  const Parent best{"v1", *tree, &better};
  std::vector<std::string> parents;
  for (auto one = world.next({best}); one; one = world.next({best})) parents.push_back(one->parent);
  ASSERT_FALSE(parents.empty());
  EXPECT_EQ(parents.front(), "v1");
  EXPECT_EQ(parents.back(), "base") << "when the best is exhausted, the next one goes on";
  EXPECT_TRUE(std::is_sorted(parents.rbegin(), parents.rend()));
}

TEST(Mutate, EditsTriedAtAnotherParentGetATurnInThree) {
  const std::string untouched = "def g(a, b):\n    return a + b\n";
  World world(Files{{"a.py", untouched}, {"b.py", "def f(a, b):\n    return a < b\n"}});
  std::set<std::string> tried;
  for (const auto& one : world.all(10)) {
    if (std::get<SyntaxEdit>(one.edits.at(0)).path == "a.py") tried.insert(one.purpose);
  }
  const checkpoints::TreeChange change{"b.py", "def f(a, b):\n    return a <= b or b\n"};
  const auto tree = world.store.with_changes(world.base, {&change, 1});
  Evaluation better;
  std::vector<bool> again;
  for (auto one = world.next({{"v1", *tree, &better}}); one && one->parent == "v1";
       one = world.next({{"v1", *tree, &better}})) {
    const bool unchanged = std::get<SyntaxEdit>(one->edits.at(0)).path == "a.py";
    again.push_back(unchanged && tried.contains(one->purpose));
  }
  const auto fresh_end = std::find(again.rbegin(), again.rend(), false).base();
  const auto early = std::count(again.begin(), fresh_end, true);
  EXPECT_GT(early, 0) << "one may be the second half of a repair";
  EXPECT_LE(early, 1 + (fresh_end - again.begin()) / 3);
  EXPECT_EQ(std::count(again.begin(), again.end(), true), static_cast<long>(tried.size()))
      << "none is lost";
}

TEST(Mutate, TheSearchAtTheBestIsNotSwayedByWhatOthersTry) {
  std::string source;
  for (int i = 0; i < 12; ++i) {
    source += "def f" + std::to_string(i) + "(a, b):\n    c = a + b\n    return c < a - b\n\n";
  }
  const auto best_sequence = [&](bool beside_others) {
    World world(Files{{"a.py", source}, {"b.py", "x = 1\n"}});
    const TestId failing{"test", "", "one"};
    world.base_evaluation.tests[failing] = TestOutcome::kFailed;
    const checkpoints::TreeChange change{"b.py", "x = 2\n"};
    const Parent best{"v1", *world.store.with_changes(world.base, {&change, 1}),
                      &world.base_evaluation};
    std::vector<std::string> made;
    while (made.size() < 240) {
      const auto one = beside_others ? world.next({best})
                                     : *world.generator->next({{best}}, RandomStream(1, "test", 0));
      if (!one) break;
      if (one->parent == "v1") {
        made.push_back(one->purpose);
        continue;
      }
      Evaluation told;
      told.verdict = Verdict::kFailed;
      told.tests[failing] = TestOutcome::kTimeout;
      world.generator->observe({&*one, "rejected", &told});
    }
    return made;
  };
  const auto alone = best_sequence(false);
  EXPECT_EQ(alone.size(), 240U);
  EXPECT_EQ(best_sequence(true), alone);
}

TEST(Mutate, EditsThatGainedApartMeetAtTheNewBest) {
  World world(Files{{"a.py", "def f(a, b):\n    return a < b\n\ndef g(a):\n    return a + 1\n"}});
  std::optional<Proposal> in_f;
  std::optional<Proposal> in_g;
  const Evaluation told;
  while (!in_f || !in_g) {
    const auto one = world.next();
    ASSERT_TRUE(one);
    const bool f = std::get<SyntaxEdit>(one->edits.at(0)).begin < 30;
    std::optional<Proposal>& kept = f ? in_f : in_g;
    if (!kept) kept = one;
    // Both were better than the base; every other edit was worse.
    world.generator->observe(
        {&*one, kept->purpose == one->purpose ? "accepted" : "rejected", &told});
  }
  const checkpoints::TreeChange change{"a.py", world.apply(*in_f)};
  const auto tree = world.store.with_changes(world.base, {&change, 1});
  const auto next = world.next({{"v1", *tree, &told}});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->parent, "v1");
  EXPECT_EQ(next->provenance.fingerprint, in_g->provenance.fingerprint);
  const auto& edit = std::get<SyntaxEdit>(next->edits.at(0));
  EXPECT_EQ(change.content->substr(edit.begin, edit.end - edit.begin), edit.expected);
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
