#include "cli/evolve_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "cli/metric_text.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run_json.h"

namespace instar::cli {

namespace {

ExitCode exit_code_of(const engine::RunResult& result) {
  switch (result.ended) {
    case engine::Ended::kInterrupted:
      return ExitCode::kInterrupted;
    case engine::Ended::kCap:
    case engine::Ended::kBreaker:
      return ExitCode::kCutShort;
    default:
      return result.champion ? ExitCode::kDone : ExitCode::kNegative;
  }
}

/// Why the run ended, for a person.
std::string ending(const engine::RunResult& result) {
  switch (result.ended) {
    case engine::Ended::kSolved:
      return "every objective is reached";
    case engine::Ended::kVariants:
      return "the variants asked for are evaluated";
    case engine::Ended::kWall:
      return "the time asked for is over";
    case engine::Ended::kPlateau:
      return "no improvement for as long as `search.plateau` says";
    case engine::Ended::kExhausted:
      return "the generator has nothing left to propose";
    case engine::Ended::kCap:
      return "the policy's cap " + result.cap + " ended it";
    case engine::Ended::kBreaker:
      return fmt::format("breaker '{}' after {} in a row: {}", result.breaker->rule,
                         result.breaker->count, escape_for_terminal(result.breaker->detail));
    case engine::Ended::kInterrupted:
      break;
  }
  return "interrupted; `instar resume " + result.run + "` goes on";
}

void print_champion(const engine::RunResult& result) {
  const engine::Accepted& champion = *result.champion;
  std::printf("champion  %s  %s\n", champion.variant.id.c_str(),
              escape_for_terminal(champion.variant.proposal.purpose).c_str());
  for (const std::string& name : result.objectives) {
    const std::string text = change_text(name, champion.evaluation.metrics, result.baseline);
    if (!text.empty()) std::printf("          %s\n", text.c_str());
  }
  std::printf(
      "next      instar diff %s           read it: it does what your stages ask, no more\n"
      "          instar diff %s | git apply\n"
      "          instar log %s\n",
      result.run.c_str(), result.run.c_str(), result.run.c_str());
}

/// The CPU time of a stage, as an objective names it: of the tests where there are some.
std::string cpu_metric(const engine::Metrics& baseline) {
  if (baseline.contains("test.cpu_s")) return "test.cpu_s";
  for (const auto& [name, value] : baseline) {
    if (name.ends_with(".cpu_s")) return escape_for_terminal(name);
  }
  return "STAGE.cpu_s";
}

/// What to try when nothing better was found.
void print_advice(const engine::RunResult& result) {
  if (result.solved) {
    std::printf(
        "next      the base has reached every objective; to make it faster, add an objective\n"
        "          such as {metric: %s, goal: minimize} to instar.yaml\n",
        cpu_metric(result.baseline).c_str());
    return;
  }
  const std::string more = result.ended == engine::Ended::kCap
                               ? "a policy with a larger " + result.cap + " (evolve --policy FILE)"
                               : "instar resume " + result.run + " --variants N";
  std::printf(
      "next      instar log %s --all      what was tried\n"
      "          %s, another --seed, or a wider surface in instar.yaml\n",
      result.run.c_str(), more.c_str());
}

void print_result(const engine::RunResult& result) {
  const engine::Counters& count = result.counters;
  std::printf("run %s: %s%s: %s\n", result.run.c_str(), result.champion ? "improved" : "unchanged",
              result.solved ? ", solved" : "", ending(result).c_str());
  std::printf("variants  %s\n",
              fmt::format("{} generated ({} refused, {} duplicate), {} evaluated in {}: {} passed, "
                          "{} failed, {} timeout, {} violated; {} accepted",
                          count.generated, count.refused, count.duplicate, count.evaluated,
                          format_duration(result.seconds), count.passed,
                          count.evaluated - count.passed - count.timeout - count.violated,
                          count.timeout, count.violated, count.accepted)
                  .c_str());
  if (result.champion) {
    print_champion(result);
  } else if (result.ended != engine::Ended::kInterrupted) {
    print_advice(result);
  }
}

}  // namespace

Result<ExitCode> report_run(const engine::RunResult& result, isolation::Level level,
                            std::uint64_t seed, const Globals& globals) {
  if (globals.json) {
    print_json(run_json(result, level, seed));
  } else {
    print_result(result);
  }
  if (const int err = flush_output(); err != 0) {
    Error error = lost_output(err);
    error.hint = "run " + result.run + " is recorded: `instar status " + result.run +
                 "` tells what it found";
    return fail(std::move(error));
  }
  return exit_code_of(result);
}

}  // namespace instar::cli
