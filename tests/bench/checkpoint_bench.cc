#include <benchmark/benchmark.h>

#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "checkpoints/ledger.h"
#include "tests/support/temp_repository.h"

namespace instar::checkpoints {
namespace {

/// A commit of `count` files as a stream for `git fast-import`, which makes one pack of it. The
/// directories are three deep, so that a tree grows in the number of its files and not in the
/// length of one directory.
std::string stream_of(int count) {
  int width = 1;
  while (width * width * width < count) ++width;
  std::string stream =
      "commit refs/heads/main\ncommitter Somebody <somebody@localhost> 0 +0000\ndata 5\nBase\n";
  for (int i = 0; i < count; ++i) {
    const std::string content = std::to_string(i) + "\n";
    stream += "M 100644 inline d" + std::to_string(i / (width * width)) + "/e" +
              std::to_string(i / width % width) + "/f" + std::to_string(i % width) + "\ndata " +
              std::to_string(content.size()) + "\n" + content;
  }
  return stream;
}

/// A repository whose base tree has `count` files, made once per process.
struct Base {
  explicit Base(int count) {
    std::ofstream(repo.path() / "stream", std::ios::binary) << stream_of(count);
    repo.git("fast-import --quiet < stream");
    store = repo.store();
    base = repo.base();
  }
  static Base& of(int count) {
    static std::map<int, std::unique_ptr<Base>> all;
    auto& base = all[count];
    if (!base) base = std::make_unique<Base>(count);
    return *base;
  }
  TempRepository repo{Files{}};
  std::unique_ptr<GitStore> store;
  Snapshot base;
};

std::vector<TreeChange> one_change(std::int64_t n) {
  return {{"d0/e0/f0", "variant " + std::to_string(n) + "\n"}};
}

/// What a variant costs that is thrown away.
void variant_in_memory(benchmark::State& state) {
  Base& base = Base::of(static_cast<int>(state.range(0)));
  std::int64_t n = 0;
  for (auto _ : state) {
    const TreeId tree = base.store->with_changes(base.base.tree, one_change(++n)).value();
    base.store->forget(tree);
  }
  if (base.store->objects_in_memory() != 0) state.SkipWithError("forget left objects behind");
}
BENCHMARK(variant_in_memory)->Arg(100)->Arg(50000)->Unit(benchmark::kMicrosecond);

/// What a checkpoint costs: tree, synced objects, commit, ref.
void checkpoint(benchmark::State& state) {
  Base& base = Base::of(static_cast<int>(state.range(0)));
  static std::int64_t n = 0;
  for (auto _ : state) {
    ++n;
    const TreeId tree = base.store->with_changes(base.base.tree, one_change(n)).value();
    const CommitId commit = base.store
                                ->commit({.tree = tree,
                                          .parents = {base.base.commit},
                                          .author_name = "Instar bench",
                                          .message = std::to_string(n) + "\n",
                                          .time = {}})
                                .value();
    const std::string ref = "refs/instar/bench/v/" + std::to_string(n);
    if (!base.store->move_ref(ref, commit.hex(), std::nullopt)) state.SkipWithError("no ref");
  }
}
BENCHMARK(checkpoint)->Arg(100)->Arg(50000)->Iterations(100)->Unit(benchmark::kMicrosecond);

/// Checking the chain of a ledger of 32 MiB in records of the given size.
void check_ledger(benchmark::State& state) {
  const TempDir directory = TempDir::create("instar-bench").value();
  const auto file = directory.path() / "ledger.jsonl";
  const SystemClock clock;
  const auto size = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t kTotal = 32UL << 20;
  {
    auto ledger = Ledger::open(file, "bench", clock).value();
    for (std::size_t i = 0; i < kTotal / size; ++i) {
      if (!ledger.append("judged", {{"x", std::string(size - 170, 'x')}})) {
        return state.SkipWithError("cannot append");
      }
    }
  }
  for (auto _ : state) {
    if (!Ledger::open(file, "bench", clock)) state.SkipWithError("a sound chain was refused");
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(std::filesystem::file_size(file)));
}
BENCHMARK(check_ledger)->Arg(300)->Arg(2000)->Unit(benchmark::kMillisecond);

void append_to_ledger(benchmark::State& state) {
  const TempDir directory = TempDir::create("instar-bench").value();
  const SystemClock clock;
  auto ledger = Ledger::open(directory.path() / "ledger.jsonl", "bench", clock).value();
  const nlohmann::json fields{{"variant", "0123456789ab"}, {"verdict", "passed"}};
  for (auto _ : state) benchmark::DoNotOptimize(ledger.append("judged", fields));
}
BENCHMARK(append_to_ledger)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace instar::checkpoints

BENCHMARK_MAIN();
