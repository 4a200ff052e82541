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
#include "cli/test_pace.h"
#include "engine/config/units.h"

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
          {"slowest_test_cpu_s", base.slowest_test_cpu_s},
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

/// "1 file", "3 files".
std::string files(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " file" : " files");
}

void print_base(const CheckReport& report) {
  constexpr std::size_t kNamed = 10;  // more are a list that nobody reads: --json has them all
  const auto& surface = report.coverage.surface;
  std::printf("base\n  commit     %s\n", report.base.hex().c_str());
  std::printf("  surface    %s of it may change%s\n", files(surface.size()).c_str(),
              surface.empty() || surface.size() > kNamed ? "" : ":");
  for (std::size_t i = 0; surface.size() <= kNamed && i < surface.size(); ++i) {
    std::printf("             %s\n", escape_for_terminal(surface[i]).c_str());
  }
  std::printf("  sealed     %s of it %s checked after use\n", files(report.coverage.sealed).c_str(),
              report.coverage.sealed == 1 ? "is" : "are");
}

void print_level(const CheckReport& report) {
  std::printf("level\n  required   %s\n",
              std::string(isolation::to_string(report.required.level)).c_str());
  for (const auto& reason : report.required.reasons) {
    std::printf("             because of %s\n", escape_for_terminal(reason).c_str());
  }
  std::printf("  available  %s%s\n", available_name(report).c_str(),
              report.level_suffices() ? "" : "  NOT ENOUGH");
}

/// What is the user's own first; the policy, which is long and mostly the default, last.
void print_as_text(const CheckReport& report) {
  print_values("target: " + report.target.origin, engine::effective_target(report.target));
  print_base(report);
  print_level(report);
  print_values("policy: " + report.policy.origin, engine::effective_policy(report.policy));
  for (const auto& warning : report.warnings) {
    std::fprintf(stderr, "warning: %s\n", escape_for_terminal(warning).c_str());
  }
}

void print_slowest_tests(const std::vector<TestPace>& paces) {
  for (const TestPace& pace : paces) {
    std::printf("  slowest    a test of stage %s: %s of CPU; each may take %s\n",
                escape_for_terminal(pace.stage).c_str(),
                engine::show_duration(pace.slowest).c_str(),
                engine::show_duration(pace.deadline).c_str());
    if (!pace.advised) continue;
    std::fprintf(
        stderr,
        "note: a variant that hangs costs %s for each test it hangs; with `per_test: %s` in "
        "stage %s it would be found sooner\n",
        engine::show_duration(pace.deadline).c_str(), engine::show_duration(*pace.advised).c_str(),
        escape_for_terminal(pace.stage).c_str());
  }
}

void print_run(const CheckReport& report, const engine::Baseline& base) {
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
    const std::string shown = escape_for_terminal(name);
    if (name.ends_with("_bytes")) {
      std::printf("  %-24s %.1f MiB\n", shown.c_str(), value / (1 << 20));
    } else {
      std::printf("  %-24s %.4g\n", shown.c_str(), value);
    }
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
  print_slowest_tests(test_paces(report, base));
}

Result<ExitCode> run_check(const CheckOptions& options, const Globals& globals) {
  CheckRequest request;
  request.directory = globals.directory / options.directory;
  request.level = INSTAR_TRY(level_value("--level", options.level));
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
  if (options.run) print_run(report, INSTAR_TRY(run_base(report, request.directory)));
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
