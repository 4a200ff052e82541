#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "engine/run/stretch.h"
#include "isolation/cell_provider.h"
#include "tests/support/temp_repository.h"

// What a variant costs in all, through the whole product: proposed, let through the edit window,
// run in a guarded cell, judged, recorded. The program that is evaluated ends at once, its
// repository has three files, and the copy of the workspace and the program's own time are measured
// beside it, so what is left is the engine's own cost.

namespace {

using namespace instar;
using Clock = std::chrono::steady_clock;

/// A suite of one test that always fails, in the shell that every stage has.
constexpr const char* kCommand =
    "exec >$INSTAR_OUT/run.tap; echo 1..1; echo not ok 1 - always; exit 1";
constexpr std::uint64_t kVariants = 400;
constexpr int kSamples = 200;

std::string program_of_500_lines() {
  std::string text;
  for (int n = 0; n < 50; ++n) {
    const std::string id = std::to_string(n);
    text += "def step_" + id + "(values, low, high):\n    total = 0\n" +
            "    for index in range(low, high):\n" +
            "        if values[index] < low or values[index] > high:\n" +
            "            continue\n        total += values[index] * " + id +
            "\n    if total == 0:\n        return low + 1\n    return total\n\n";
  }
  return text;
}

checkpoints::Files target_files() {
  return {{"a.py", program_of_500_lines(), checkpoints::FileMode::kRegular},
          {"tests/cases", std::string(5000, 'x'), checkpoints::FileMode::kRegular},
          {"instar.yaml",
           "version: 1\nname: bench\nsurface: {allow: [\"a.py\"]}\nsealed: [\"tests/**\"]\n"
           "evaluate:\n  - {name: test, run: \"" +
               std::string(kCommand) +
               "\", timeout: 10s, report: {tap: run.tap}}\n"
               "objectives: [{metric: tests.failed, goal: minimize}]\n",
           checkpoints::FileMode::kRegular}};
}

/// Milliseconds per call of `run`, the median of `count`.
template <typename Run>
double median_ms(int count, Run run) {
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    run(i);
    samples.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  const auto middle = samples.begin() + count / 2;
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

void spawn_program(const TempDir& place) {
  pid_t pid = 0;
  char shell[] = "sh";
  char option[] = "-c";
  std::string line = kCommand;
  char* const argv[] = {shell, option, line.data(), nullptr};
  std::string out = "INSTAR_OUT=" + place.path().string();
  char* const envp[] = {out.data(), nullptr};
  if (::posix_spawn(&pid, "/bin/sh", nullptr, nullptr, argv, envp) != 0) std::abort();
  ::waitpid(pid, nullptr, 0);
}

/// Milliseconds of what a variant's evaluation consists of, each measured alone.
struct Parts {
  double program_ms = 0;  ///< the program itself, with the shell that a stage has
  double copy_ms = 0;     ///< its workspace, copied and removed
  double cell_ms = 0;     ///< the program in a cell, from start to reap
};

Parts measure_parts() {
  const TempDir base = TempDir::create("variant-bench").value();
  isolation::WorkspaceSpec of_base;
  of_base.base = base.path();
  for (const auto& file : target_files()) {
    std::filesystem::create_directories((base.path() / file.path).parent_path());
    (void)write_file_atomic(base.path() / file.path, *file.content);
    of_base.changes.push_back({.path = file.path,
                               .content = file.content,
                               .executable = file.mode == checkpoints::FileMode::kExecutable});
  }
  const auto cells = isolation::make_cell_provider({.slots = 1, .scratch = {}}).value();
  const auto workspace = cells->open_workspace(of_base).value();
  isolation::CellSpec stage;
  stage.argv = {"/bin/sh", "-c", kCommand};
  return {.program_ms = median_ms(kSamples, [&](int) { spawn_program(base); }),
          .copy_ms = median_ms(kSamples,
                               [&](int) {
                                 isolation::WorkspaceSpec spec;
                                 spec.base = base.path();
                                 if (!cells->open_workspace(spec)) std::abort();
                               }),
          .cell_ms = median_ms(kSamples, [&](int) {
            const auto report = cells->run(stage, *workspace, {});
            if (!report || report->exit_code != 1) std::abort();
          })};
}

/// When the loop tells of its progress: once per result that it has applied.
class Times final : public engine::RunObserver {
 public:
  void on_progress(const engine::RunProgress& progress) override {
    const std::uint64_t evaluated = progress.counters.evaluated;
    if (evaluated == seen_) return;
    const auto now = Clock::now();
    if (seen_ > 0 && evaluated == seen_ + 1) {
      samples_.push_back(std::chrono::duration<double, std::milli>(now - last_).count());
    }
    seen_ = evaluated;
    last_ = now;
  }
  double median_ms() {
    const auto middle = samples_.begin() + static_cast<std::ptrdiff_t>(samples_.size() / 2);
    std::nth_element(samples_.begin(), middle, samples_.end());
    return *middle;
  }

 private:
  std::uint64_t seen_ = 0;
  Clock::time_point last_;
  std::vector<double> samples_;
};

void whole_variant(benchmark::State& state) {
  for (auto _ : state) {
    const checkpoints::TempRepository repo(target_files());
    const Parts parts = measure_parts();
    engine::RunRequest request;
    request.directory = repo.path();
    request.variants = kVariants;
    request.jobs = 1;
    Times times;
    auto plan = engine::plan_run(request);
    if (!plan) return state.SkipWithError(plan.error().message.c_str());
    const SystemClock clock;
    const auto result =
        engine::start_run(*std::move(plan), clock, times, [] { return engine::RunControl{}; });
    if (!result) return state.SkipWithError(result.error().message.c_str());
    if (result->counters.evaluated < kVariants / 2) return state.SkipWithError("too few variants");
    const double whole_ms = times.median_ms();
    state.counters["whole_ms"] = whole_ms;
    state.counters["program_ms"] = parts.program_ms;
    state.counters["copy_ms"] = parts.copy_ms;
    state.counters["own_ms"] = whole_ms - parts.program_ms - parts.copy_ms;
    state.counters["own_cell_ms"] = parts.cell_ms - parts.program_ms;
    state.counters["own_rest_ms"] = whole_ms - parts.copy_ms - parts.cell_ms;
    state.counters["variants_per_s"] =
        static_cast<double>(result->counters.evaluated) / result->seconds;
  }
}
BENCHMARK(whole_variant)->Iterations(1)->Repetitions(5)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
