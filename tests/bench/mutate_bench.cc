#include <benchmark/benchmark.h>

#include <string>

#include "engine/generators/factory.h"
#include "engine/syntax/syntax_tree.h"
#include "tests/support/fake_store.h"

namespace instar::engine {
namespace {

/// A program of `lines` lines, in functions of ten.
std::string program(bool python, int lines) {
  std::string text;
  for (int n = 0; n < lines / 10; ++n) {
    const std::string id = std::to_string(n);
    text += python ? "def step_" + id + "(values, low, high):\n    total_" + id +
                         " = 0\n    for index in range(low, high):\n"
                         "        if values[index] < low or values[index] > high:\n"
                         "            continue\n        total_" +
                         id + " += values[index] * " + id + "\n    if total_" + id +
                         " == 0:\n        return low + 1\n    return total_" + id + "\n\n"
                   : "static int step_" + id +
                         "(const int *values, int low, int high) {\n  int total = 0;\n"
                         "  for (int index = low; index < high; index++) {\n"
                         "    if (values[index] < low || values[index] > high) continue;\n"
                         "    total += values[index] * " +
                         id + ";\n  }\n  if (total == 0) return low + 1;\n  return total;\n}\n\n";
  }
  return text;
}

/// One proposal of a fresh generator's first thousand, as the loop asks for it.
void next(benchmark::State& state, bool python) {
  checkpoints::FakeStore store;
  const auto base = store.add_tree({{python ? "a.py" : "a.c", program(python, 500)}});
  const Evaluation evaluation;
  const SearchState search{{{"base", base, &evaluation}}};
  std::unique_ptr<Generator> generator;
  int made = 0;
  for (auto _ : state) {
    if (made++ % 1000 == 0) {
      state.PauseTiming();
      generator = make_generator(
          {}, store, [](const std::string&) { return true; }, 1);
      benchmark::DoNotOptimize(generator->next(search, RandomStream(1, "bench", 0)));
      state.ResumeTiming();
    }
    benchmark::DoNotOptimize(generator->next(search, RandomStream(1, "bench", 0)));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(next, python_500_lines, true);
BENCHMARK_CAPTURE(next, c_500_lines, false);

/// What the first proposal costs more: parsing and finding every site.
void first(benchmark::State& state, bool python) {
  checkpoints::FakeStore store;
  const auto base = store.add_tree({{python ? "a.py" : "a.c", program(python, 500)}});
  const Evaluation evaluation;
  const SearchState search{{{"base", base, &evaluation}}};
  for (auto _ : state) {
    const auto generator = make_generator(
        {}, store, [](const std::string&) { return true; }, 1);
    benchmark::DoNotOptimize(generator->next(search, RandomStream(1, "bench", 0)));
  }
}
BENCHMARK_CAPTURE(first, python_500_lines, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(first, c_500_lines, false)->Unit(benchmark::kMillisecond);

/// The re-parse alone.
void parses_with(benchmark::State& state, bool python) {
  Parser parser;
  const auto tree = parser.parse(python ? kPython : kC, program(python, 500));
  const auto at = static_cast<std::uint32_t>(tree->text().find('<', tree->text().size() / 2));
  for (auto _ : state) benchmark::DoNotOptimize(parser.parses_with(*tree, at, at + 1, "<="));
}
BENCHMARK_CAPTURE(parses_with, python, true);
BENCHMARK_CAPTURE(parses_with, c, false);

}  // namespace
}  // namespace instar::engine

BENCHMARK_MAIN();
