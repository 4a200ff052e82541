#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/check_report.h"
#include "cli/check_run.h"
#include "cli/commands.h"
#include "cli/option_values.h"
#include "cli/output.h"

namespace instar::cli {

namespace {

struct CheckOptions {
  std::string directory;
  std::optional<std::string> policy;
  std::optional<std::string> level;
  bool run = false;
};

nlohmann::json values_json(const std::vector<engine::Effective>& values) {
  auto out = nlohmann::json::array();
  for (const auto& value : values) {
    out.push_back({{"key", value.key}, {"value", value.value}, {"source", value.source}});
  }
  return out;
}

std::string available_name(const CheckReport& report) {
  return report.available.level ? std::string(isolation::to_string(*report.available.level))
                                : std::string("none");
}

std::vector<std::string> failing_tests(const engine::Baseline& base) {
  std::vector<std::string> names;
  for (const auto& [id, outcome] : base.evaluation.tests) {
    if (is_failure(outcome)) names.push_back(to_string(id));
  }
  return names;
}

nlohmann::json base_json(const engine::Baseline& base) {
  auto flaky = nlohmann::json::array();
  for (const auto& id : base.flaky) flaky.push_back(to_string(id));
  return {{"verdict", to_string(base.evaluation.verdict)},
          {"reason", base.evaluation.reason},
          {"metrics", base.evaluation.metrics},
          {"failing", failing_tests(base)},
          {"flaky", flaky},
          {"output", base.evaluation.output_excerpt}};
}

void print_as_json(const CheckReport& report, const std::optional<engine::Baseline>& base) {
  nlohmann::json object = {
      {"policy",
       {{"origin", report.policy.origin},
        {"digest", report.policy.digest.hex()},
        {"values", values_json(engine::effective_policy(report.policy))}}},
      {"target",
       {{"origin", report.target.origin},
        {"name", report.target.name},
        {"digest", report.target.digest.hex()},
        {"values", values_json(engine::effective_target(report.target))}}},
      {"level",
       {{"required", isolation::to_string(report.required.level)},
        {"reasons", report.required.reasons},
        {"available", available_name(report)},
        {"suffices", report.level_suffices()},
        {"reason", report.available.reason},
        {"fix", report.available.fix}}},
      {"base", {{"commit", report.base.hex()}}},
      {"surface", {{"files", report.coverage.surface.size()}, {"paths", report.coverage.surface}}},
      {"sealed", {{"files", report.coverage.sealed}}},
      {"warnings", report.warnings}};
  if (base) object["run"] = base_json(*base);
  print_json(std::move(object));
}

void print_values(const std::string& title, const std::vector<engine::Effective>& values) {
  std::printf("%s\n", escape_for_terminal(title).c_str());
  std::size_t widest = 0;
  for (const auto& value : values) widest = std::max(widest, value.key.size());
  for (const auto& value : values) {
    std::printf("  %-*s  %s  [%s]\n", static_cast<int>(widest), value.key.c_str(),
                escape_for_terminal(value.value).c_str(),
                escape_for_terminal(value.source).c_str());
  }
}

void print_as_text(const CheckReport& report) {
  print_values("policy: " + report.policy.origin, engine::effective_policy(report.policy));
  print_values("target: " + report.target.origin, engine::effective_target(report.target));
  std::printf("level\n  required   %s\n",
              std::string(isolation::to_string(report.required.level)).c_str());
  for (const auto& reason : report.required.reasons) {
    std::printf("             by %s\n", escape_for_terminal(reason).c_str());
  }
  std::printf("  available  %s%s\n", available_name(report).c_str(),
              report.level_suffices() ? "" : "  NOT ENOUGH");
  std::printf("base\n  commit     %s\n", report.base.hex().c_str());
  std::printf("  surface    %zu files of it may change\n", report.coverage.surface.size());
  std::printf("  sealed     %zu files of it are checked after use\n", report.coverage.sealed);
  for (const auto& warning : report.warnings) {
    std::fprintf(stderr, "warning: %s\n", escape_for_terminal(warning).c_str());
  }
}

void print_run(const engine::Baseline& base) {
  std::printf("base run, three times\n  verdict    %s\n",
              std::string(to_string(base.evaluation.verdict)).c_str());
  if (!base.evaluation.reason.empty()) {
    std::printf("             %s\n", escape_for_terminal(base.evaluation.reason).c_str());
  }
  if (!base.evaluation.output_excerpt.empty()) {
    std::fprintf(stderr, "output of the stage that failed:\n%s\n",
                 escape_for_terminal(base.evaluation.output_excerpt, true).c_str());
  }
  for (const auto& [name, value] : base.evaluation.metrics) {
    std::printf("  %-20s %g\n", escape_for_terminal(name).c_str(), value);
  }
  constexpr std::size_t kShown = 20;
  const auto failing = failing_tests(base);
  for (std::size_t i = 0; i < std::min(failing.size(), kShown); ++i) {
    std::printf("  failing    %s\n", escape_for_terminal(failing[i]).c_str());
  }
  if (failing.size() > kShown) std::printf("  and %zu more\n", failing.size() - kShown);
  for (const auto& id : base.flaky) {
    std::printf("  flaky      %s\n", escape_for_terminal(to_string(id)).c_str());
  }
}

Result<ExitCode> run_check(const CheckOptions& options, const Globals& globals) {
  CheckRequest request{.directory = globals.directory / options.directory,
                       .policy = {},
                       .level = INSTAR_TRY(level_value("--level", options.level))};
  if (options.policy) request.policy = *options.policy;
  const CheckReport report = INSTAR_TRY(make_check_report(request));
  if (globals.json) {
    std::optional<engine::Baseline> base;
    if (options.run && report.level_suffices()) {
      base = INSTAR_TRY(run_base(report, request.directory));
    }
    print_as_json(report, base);
    return report.level_suffices() ? ExitCode::kDone : ExitCode::kHostCannot;
  }
  print_as_text(report);
  // Before the cells' launchers are forked: each would print what is still buffered once more.
  std::fflush(stdout);
  INSTAR_CHECK(engine::require(report.required));
  if (options.run) print_run(INSTAR_TRY(run_base(report, request.directory)));
  return ExitCode::kDone;
}

}  // namespace

Action declare_check(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<CheckOptions>();
  app.add_option("DIR", options->directory);
  app.add_option("--policy", options->policy);
  app.add_option("--level", options->level);
  app.add_flag("--run", options->run);
  return [options, &globals] { return run_check(*options, globals); };
}

}  // namespace instar::cli
