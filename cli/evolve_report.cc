#include "cli/evolve_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
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
      return "a cap of the policy (run.variants or run.wall) cut it short";
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
  for (const auto& [name, value] : champion.evaluation.metrics) {
    const auto before = result.baseline.find(name);
    if (before == result.baseline.end() || before->second == value) continue;
    std::printf("  %-24s %g -> %g\n", name.c_str(), before->second, value);
  }
}

}  // namespace

ExitCode report_run(const engine::RunResult& result, isolation::Level level, std::uint64_t seed,
                    const Globals& globals) {
  if (globals.json) {
    print_json(run_json(result, level, seed));
    return exit_code_of(result);
  }
  const engine::Counters& count = result.counters;
  std::printf("run %s: %s%s: %s\n", result.run.c_str(), result.champion ? "improved" : "unchanged",
              result.solved ? ", solved" : "", ending(result).c_str());
  std::printf(
      "variants  %s\n",
      fmt::format("{} generated, {} evaluated in {}: {} accepted, {} passed, {} timeout, "
                  "{} violated, {} refused, {} duplicate",
                  count.generated, count.evaluated, format_duration(result.seconds), count.accepted,
                  count.passed, count.timeout, count.violated, count.refused, count.duplicate)
          .c_str());
  if (result.champion) {
    print_champion(result);
    std::printf("next      instar diff %s/%s\n          instar log %s\n", result.run.c_str(),
                result.champion->variant.id.c_str(), result.run.c_str());
  }
  return exit_code_of(result);
}

}  // namespace instar::cli
