#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/evolve_report.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "engine/run/stretch.h"

namespace instar::cli {

namespace {

struct Options {
  std::string directory;
  std::optional<std::string> base;
  std::optional<std::string> seed;
  std::optional<std::string> variants;
  std::optional<std::string> jobs;
  std::optional<std::string> wall;
  std::optional<std::string> level;
  std::optional<std::string> policy;
  std::optional<std::string> generator;
  std::optional<std::string> run_id;
  bool dry_run = false;
  bool quiet = false;
};

Result<engine::RunRequest> request_from(const Options& options, const Globals& globals) {
  engine::RunRequest request;
  request.directory =
      options.directory.empty() ? globals.directory : globals.directory / options.directory;
  request.base = options.base;
  request.seed = INSTAR_TRY(whole_number("--seed", options.seed));
  request.variants = INSTAR_TRY(positive_number("--variants", options.variants));
  request.jobs = static_cast<unsigned>(
      INSTAR_TRY(positive_number("--jobs", options.jobs, kMostJobs)).value_or(0));
  request.wall = INSTAR_TRY(duration_value("--wall", options.wall));
  request.level = INSTAR_TRY(level_value("--level", options.level));
  if (options.policy) request.policy = *options.policy;
  request.generator = options.generator;
  request.run_id = options.run_id;
  return request;
}

/// What a dry run shows.
void print_plan(const engine::RunPlan& plan, const Globals& globals) {
  std::vector<std::string> allow;
  for (const auto& rule : plan.target.allow) allow.push_back(rule.value);
  if (globals.json) {
    nlohmann::json stages = nlohmann::json::array();
    for (const auto& stage : plan.target.evaluate) {
      stages.push_back({{"name", stage.name}, {"run", stage.command}});
    }
    print_json({{"dry_run", true},
                {"base", {{"ref", plan.base_ref}, {"commit", plan.base.commit.hex()}}},
                {"surface", {{"allow", allow}, {"files", plan.surface_files}}},
                {"stages", stages},
                {"generator", plan.target.generator.kind},
                {"seed", plan.seed},
                {"jobs", plan.jobs},
                {"level", to_string(plan.required.level)},
                {"limits", {{"variants", plan.limits.variants}}}});
    return;
  }
  std::printf("would evolve  %s\n", escape_for_terminal(plan.target.name).c_str());
  std::printf("base          %s (%s)\n", plan.base.commit.hex().c_str(),
              escape_for_terminal(plan.base_ref).c_str());
  std::printf("surface       %s: %llu files\n", escape_for_terminal(join(allow, ", ")).c_str(),
              static_cast<unsigned long long>(plan.surface_files));
  for (const auto& stage : plan.target.evaluate) {
    std::printf("stage         %s: %s\n", stage.name.c_str(),
                escape_for_terminal(stage.command).c_str());
  }
  for (const auto& objective : plan.target.objectives) {
    const bool less = objective.goal == engine::Objective::Goal::kMinimize;
    std::printf("objective     %s %s\n", less ? "minimize" : "maximize", objective.metric.c_str());
  }
  std::printf("generator     %s, seed %llu\n", plan.target.generator.kind.c_str(),
              static_cast<unsigned long long>(plan.seed));
  std::printf("limits        %llu variants, %u at once, level %s\n",
              static_cast<unsigned long long>(plan.limits.variants), plan.jobs,
              std::string(to_string(plan.required.level)).c_str());
}

Result<ExitCode> evolve(const Options& options, const Globals& globals) {
  const engine::RunRequest request = INSTAR_TRY(request_from(options, globals));
  engine::RunPlan plan = INSTAR_TRY(engine::plan_run(request));
  for (const auto& note : plan.notes) {
    if (!options.quiet) std::fprintf(stderr, "note: %s\n", escape_for_terminal(note).c_str());
  }
  if (options.dry_run) {
    print_plan(plan, globals);
    return ExitCode::kDone;
  }
  const SystemClock clock;
  Progress progress(options.quiet);
  std::optional<Signals> signals;
  const isolation::Level level = plan.required.level;
  const std::uint64_t seed = plan.seed;
  const engine::RunResult result =
      INSTAR_TRY(engine::start_run(std::move(plan), clock, progress, [&] {
        signals.emplace();
        return signals->control();
      }));
  progress.finish();
  return report_run(result, level, seed, globals);
}

}  // namespace

Action declare_evolve(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<Options>();
  app.add_option("DIR", options->directory);
  app.add_option("--base", options->base);
  app.add_option("--seed", options->seed);
  app.add_option("--variants", options->variants);
  app.add_option("--jobs", options->jobs);
  app.add_option("--wall", options->wall);
  app.add_option("--level", options->level);
  app.add_option("--policy", options->policy);
  app.add_option("--generator", options->generator);
  app.add_option("--run-id", options->run_id);
  app.add_flag("--dry-run", options->dry_run);
  app.add_flag("--quiet", options->quiet);
  return [options, &globals] { return evolve(*options, globals); };
}

}  // namespace instar::cli
