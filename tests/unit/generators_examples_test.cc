#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "engine/generators/factory.h"
#include "tests/support/fake_store.h"

namespace instar::engine {
namespace {

struct Step {
  std::string wrong;
  std::string right;
};

/// An example's one source file, and the edits that repair it.
struct Seeded {
  std::string file;
  std::vector<Step> steps;
};

void PrintTo(const Seeded& seeded, std::ostream* out) { *out << seeded.file; }

std::string replaced(const std::string& text, const Step& step) {
  const auto at = text.find(step.wrong);
  EXPECT_NE(at, std::string::npos) << step.wrong;
  EXPECT_EQ(text.find(step.wrong, at + 1), std::string::npos)
      << step.wrong << " stands there twice";
  return std::string(text).replace(at, step.wrong.size(), step.right);
}

/// The same for two spellings of the same code: space, and the case of hexadecimal digits.
std::string essence(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// How many proposals it takes until one of them makes `wanted` of `text`; 0: none of them does.
int proposals_until(const std::string& path, const std::string& text, const std::string& wanted) {
  checkpoints::FakeStore store;
  const std::vector<checkpoints::TreeChange> files{{path, text}};
  const checkpoints::TreeId base = store.add_tree(files);
  const auto generator = make_generator(
      {}, store, [](const std::string&) { return true; }, 1);
  Evaluation failing;
  failing.verdict = Verdict::kFailed;
  for (int count = 1;; ++count) {
    const auto proposal =
        generator->next({{{"base", base, &failing}}}, RandomStream(1, "test", 0)).value();
    if (!proposal) return 0;
    const auto& edit = std::get<SyntaxEdit>(proposal->edits.front());
    std::string made = text;
    made.replace(edit.begin, edit.end - edit.begin, edit.replacement);
    if (essence(made) == essence(wanted)) return count;
  }
}

class Examples : public testing::TestWithParam<Seeded> {};

// Each seeded fault is one that the generator can undo: single edits, each soon enough.
TEST_P(Examples, EveryStepOfTheRepairIsProposed) {
  constexpr int kSoon = 1000;  // the default cap of a run
  const auto& [file, steps] = GetParam();
  std::string text =
      read_file(std::filesystem::path(INSTAR_SOURCE_DIR) / "examples" / file, 1 << 20).value();
  for (const Step& step : steps) {
    const std::string wanted = replaced(text, step);
    const int proposals = proposals_until(file, text, wanted);
    RecordProperty("step" + std::to_string(&step - steps.data()), proposals);
    EXPECT_GT(proposals, 0) << "never: " << step.right;
    EXPECT_LE(proposals, kSoon) << step.right;
    text = wanted;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Seeded, Examples,
    testing::Values(
        Seeded{"triangle/src/triangle.py", {{"a + b < c", "a + b <= c"}, {"a == c:", "b == c:"}}},
        Seeded{"search/src/search.py", {{"len(items) - 1", "len(items) - 0"}}},
        Seeded{"roman/src/roman.py", {{"(5, \"IV\")", "(4, \"IV\")"}}},
        Seeded{"intervals/src/intervals.py", {{"max(last_end, start)", "max(last_end, end)"}}},
        Seeded{"ledger/src/ledger.py",
               {{"if self._covers(account, cents)", "if not self._covers(account, cents)"}}},
        Seeded{"wrap/src/wrap.py", {{"append(word, line)", "append(line, word)"}}},
        Seeded{"fraction/src/fraction.c",
               {{"a * gcd(a, b) * b", "a / gcd(a, b) * b"}, {") - b.num", ") + b.num"}}},
        Seeded{"ring/src/ring.c",
               {{"ring->first = wrapped(ring->first + 1);\n  *value = ring->slots[ring->first];",
                 "*value = ring->slots[ring->first];\n  ring->first = wrapped(ring->first + 1);"},
                {"slot > RING_SLOTS", "slot >= RING_SLOTS"}}},
        Seeded{"bitset/src/bitset.c",
               {{"a->words[i] ^ b", "a->words[i] | b"}, {"BITSET_WORDS - 1", "BITSET_WORDS - 0"}}},
        Seeded{"csv/src/csv.c", {{"quoted = 0;\n      continue", "length = 0;\n      continue"}}},
        Seeded{"utf8/src/utf8.c", {{"0xC1", "0xC2"}, {"< 0xF4)", "< 0xF5)"}}},
        Seeded{"sieve/src/sieve.c",
               {{"strike_out(factored, number, limit);\n    if (factored[number]) continue;",
                 "if (factored[number]) continue;\n    strike_out(factored, number, limit);"},
                {"number + number", "number * number"}}}));

}  // namespace
}  // namespace instar::engine
