#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "isolation/cell_provider.h"

// What a guarded cell costs over a bare posix_spawn, from start to reap, of a static program that
// ends at once. The ratio of the medians is what counts: the machine's noise is in both.

namespace {

using namespace instar;
using namespace instar::isolation;

constexpr const char* kProgram = ENDS_AT_ONCE;

struct Host {
  std::unique_ptr<CellProvider> provider;
  std::unique_ptr<Workspace> workspace;
};

/// Made before any thread, as the engine does it.
Host& host() {
  static Host one = [] {
    Host made{.provider = make_cell_provider({.slots = 1, .scratch = {}}).value(),
              .workspace = nullptr};
    WorkspaceSpec spec;
    spec.changes.push_back(
        {.path = "program", .content = read_file(kProgram, 16 * kMiB).value(), .executable = true});
    made.workspace = made.provider->open_workspace(spec).value();
    return made;
  }();
  return one;
}

void spawn_once() {
  pid_t pid = 0;
  char name[] = "program";
  char* const argv[] = {name, nullptr};
  char* const envp[] = {nullptr};
  if (::posix_spawn(&pid, kProgram, nullptr, nullptr, argv, envp) != 0) std::abort();
  ::waitpid(pid, nullptr, 0);
}

void run_cell_once() {
  CellSpec spec;
  spec.argv = {"./program"};
  const auto report = host().provider->run(spec, *host().workspace, {});
  if (!report || report->exit_code != 0) std::abort();
}

void posix_spawn_to_reap(benchmark::State& state) {
  for (auto _ : state) spawn_once();
}

void guarded_cell_to_reap(benchmark::State& state) {
  for (auto _ : state) run_cell_once();
}

double median_us(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

/// Interleaved, so that a change of the machine's load meets both.
void ratio_of_medians(benchmark::State& state) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> bare;
  std::vector<double> cells;
  const auto timed = [](auto run) {
    const auto start = Clock::now();
    run();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  for (auto _ : state) {
    bare.push_back(timed(spawn_once));
    cells.push_back(timed(run_cell_once));
  }
  const double bare_us = median_us(bare);
  const double cell_us = median_us(cells);
  state.counters["posix_spawn_us"] = bare_us;
  state.counters["cell_us"] = cell_us;
  state.counters["ratio"] = cell_us / bare_us;
}

/// A workspace of `files` small files: copied, and removed again.
void workspace_copy_and_removal(benchmark::State& state) {
  const TempDir base = TempDir::create("cell-bench").value();
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const auto directory = base.path() / ("d" + std::to_string(i / 20));
    std::filesystem::create_directories(directory);
    (void)write_file_atomic(directory / ("f" + std::to_string(i)), std::string(2000, 'x'));
  }
  WorkspaceSpec spec;
  spec.base = base.path();
  for (auto _ : state) {
    if (!host().provider->open_workspace(spec)) std::abort();
  }
}

BENCHMARK(posix_spawn_to_reap)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(guarded_cell_to_reap)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(ratio_of_medians)->Unit(benchmark::kMicrosecond)->UseRealTime()->Iterations(400);
BENCHMARK(workspace_copy_and_removal)
    ->Arg(10)
    ->Arg(200)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
  host();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  host().workspace.reset();
  host().provider.reset();
  return 0;
}
