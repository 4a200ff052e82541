#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/generators/factory.h"
#include "tests/support/fake_store.h"

namespace instar::engine {
namespace {

/// A small faulty program and the text that repairs it, both shown by the line that differs.
struct Fault {
  std::string name;
  std::string path;
  std::string before;  ///< the program around the line
  std::string wrong;
  std::string right;
  std::string after;
};

const std::vector<Fault>& faults() {
  static const std::vector<Fault> kFaults{
      {"relational operator", "a.py",
       "def classify(a, b, c):\n    a, b, c = sorted((a, b, c))\n    if a <= 0:\n"
       "        return 'none'\n",
       "    if a + b < c:\n", "    if a + b <= c:\n",
       "        return 'none'\n    if a == b and b == c:\n        return 'equilateral'\n"
       "    return 'scalene'\n"},
      {"bound one off", "a.py", "def lower_bound(items, wanted):\n    low = 0\n",
       "    high = len(items) - 1\n", "    high = len(items)\n",
       "    while low < high:\n        middle = (low + high) // 2\n"
       "        if items[middle] < wanted:\n            low = middle + 1\n"
       "        else:\n            high = middle\n    return low\n"},
      {"missing plus one", "a.py", "def total(n):\n    s = 0\n", "    for i in range(1, n):\n",
       "    for i in range(1, n + 1):\n", "        s += i\n    return s\n"},
      {"swapped arguments", "a.py",
       "def pad(text, width, fill):\n    while len(text) < width:\n        text = fill + text\n"
       "    return text\n\ndef show(rows, width, fill):\n    out = []\n    for row in rows:\n",
       "        out.append(pad(row, fill, width))\n", "        out.append(pad(row, width, fill))\n",
       "    return out\n"},
      {"missing negation", "a.py",
       "def clean(items, seen):\n    out = []\n    for item in items:\n",
       "        if seen(item):\n", "        if not seen(item):\n",
       "            out.append(item)\n    return out\n"},
      {"wrong variable", "a.py",
       "def area(width, height):\n    if width < 0 or height < 0:\n        return 0\n",
       "    return width * width\n", "    return width * height\n", ""},
      {"wrong member", "a.py",
       "class Box:\n    def __init__(self, low, high):\n        self.low = low\n"
       "        self.high = high\n\n    def holds(self, x):\n",
       "        return self.low <= x and x <= self.low\n",
       "        return self.low <= x and x <= self.high\n", ""},
      {"missing statement", "a.py",
       "def merge(a, b):\n    out = []\n    i = j = 0\n    while i < len(a) and j < len(b):\n"
       "        if a[i] < b[j]:\n            out.append(a[i])\n            i += 1\n"
       "        else:\n            out.append(b[j])\n",
       "", "            i += 1\n", "    return out\n"},
      {"wrong constant", "a.c", "int hours(int seconds) {\n", "  return seconds / 3599;\n",
       "  return seconds / 3600;\n", "}\n"},
      {"logical operator", "a.c", "int in(int x, int low, int high) {\n",
       "  if (x < low && x > high) return 0;\n", "  if (x < low || x > high) return 0;\n",
       "  return 1;\n}\n"},
      {"bitwise operator", "a.c",
       "void set(unsigned *bits, int n) {\n  bits[n / 32] |= 1u << (n % 32);\n}\n"
       "int get(const unsigned *bits, int n) {\n",
       "  return (bits[n / 32] | (1u << (n % 32))) != 0;\n",
       "  return (bits[n / 32] & (1u << (n % 32))) != 0;\n", "}\n"},
      {"order of statements", "a.c",
       "struct ring { int head, used, cells[8]; };\nint take(struct ring *r) {\n",
       "  r->head = (r->head + 1) % 8;\n  int got = r->cells[r->head];\n",
       "  int got = r->cells[r->head];\n  r->head = (r->head + 1) % 8;\n",
       "  r->used--;\n  return got;\n}\n"},
      {"accumulation", "a.c", "int sum(const int *v, int n) {\n  int s = 0;\n",
       "  for (int i = 0; i < n; i++) s = v[i];\n", "  for (int i = 0; i < n; i++) s += v[i];\n",
       "  return s;\n}\n"},
      {"break for continue", "a.c",
       "int count(const int *v, int n) {\n  int c = 0;\n  for (int i = 0; i < n; i++) {\n",
       "    if (v[i] < 0) break;\n", "    if (v[i] < 0) continue;\n",
       "    c++;\n  }\n  return c;\n}\n"},
      {"extra statement", "a.c",
       "int largest(const int *v, int n) {\n  int best = v[0];\n  for (int i = 1; i < n; i++) {\n"
       "    if (v[i] > best) best = v[i];\n",
       "    best++;\n", "", "  }\n  return best;\n}\n"},
  };
  return kFaults;
}

/// How many proposals it takes until one is the repaired program; nothing within `most`.
std::optional<int> proposals_to_repair(const Fault& fault, std::uint64_t seed, int most) {
  checkpoints::FakeStore store;
  const std::string faulty = fault.before + fault.wrong + fault.after;
  const std::string repaired = fault.before + fault.right + fault.after;
  const auto base = store.add_tree({{fault.path, faulty}});
  const auto generator = make_generator(
      {}, store, [](const std::string&) { return true; }, seed);
  const Evaluation evaluation;
  const SearchState state{{{"base", base, &evaluation}}};
  for (int n = 1; n <= most; ++n) {
    const auto made = generator->next(state, RandomStream(seed, "test", 0));
    if (!made || !*made) return std::nullopt;
    const auto& edit = std::get<SyntaxEdit>((*made)->edits.at(0));
    std::string text = faulty;
    if (text.replace(edit.begin, edit.end - edit.begin, edit.replacement) == repaired) return n;
  }
  return std::nullopt;
}

class Repair : public testing::TestWithParam<Fault> {};

TEST_P(Repair, IsAmongTheFirstProposals) {
  // Nothing is told about tests here: this is the bare order of enumeration.
  std::vector<int> needed;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto n = proposals_to_repair(GetParam(), seed, 250);
    EXPECT_TRUE(n) << "seed " << seed << " does not find it within 250";
    needed.push_back(n.value_or(1000));
  }
  std::sort(needed.begin(), needed.end());
  RecordProperty("median", needed[2]);
  EXPECT_LE(needed[2], 150);
}

INSTANTIATE_TEST_SUITE_P(Faults, Repair, testing::ValuesIn(faults()), [](const auto& fault) {
  std::string name = fault.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

}  // namespace
}  // namespace instar::engine
