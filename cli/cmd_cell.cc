#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/files.h"
#include "base/text.h"
#include "cli/cell_options.h"
#include "cli/commands.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "engine/config/policy.h"
#include "isolation/cell_provider.h"

namespace instar::cli {

namespace {

using isolation::CellReport;
using isolation::CellSpec;
using isolation::Outcome;

constexpr int kDeadline = 124;
constexpr int kSignalBase = 128;

struct Options {
  std::optional<std::string> level;
  std::optional<std::string> policy;
  std::optional<std::string> workspace;
  bool writable = false;
  std::vector<std::string> limits;
  std::vector<std::string> env;
  std::vector<std::string> outputs;  ///< PATH=HOSTFILE
  std::optional<std::string> report;
  std::vector<std::string> command;
};

nlohmann::json to_json(isolation::Level level, const CellReport& report) {
  nlohmann::json out = {{"schema_version", 1},
                        {"level", to_string(level)},
                        {"outcome", to_string(report.outcome)},
                        {"exit", nullptr},
                        {"signal", nullptr},
                        {"reason", report.reason},
                        {"limit", nullptr},
                        {"wall_s", report.wall_s},
                        {"cpu_s", report.cpu_s},
                        {"peak_memory_bytes", report.peak_memory_bytes},
                        {"stdout_bytes", report.out.total_bytes},
                        {"stderr_bytes", report.err.total_bytes},
                        {"enforced", report.enforced}};
  if (report.exit_code) out["exit"] = *report.exit_code;
  if (report.signal != 0) out["signal"] = report.signal;
  if (!report.limit.empty()) out["limit"] = report.limit;
  for (const auto& output : report.outputs) {
    out["outputs"][output.path] =
        output.refused.empty() ? nlohmann::json("taken") : nlohmann::json(output.refused);
  }
  return out;
}

/// The command's streams, as it wrote them; on a terminal made harmless.
void print_stream(const isolation::CapturedStream& stream, std::FILE* to) {
  const bool terminal = ::isatty(::fileno(to)) == 1;
  const auto print = [&](const std::string& text) {
    const std::string shown = terminal ? escape_for_terminal(text, true) : text;
    std::fwrite(shown.data(), 1, shown.size(), to);
  };
  print(stream.head);
  const std::uint64_t dropped = stream.total_bytes - stream.head.size() - stream.tail.size();
  if (dropped > 0) {
    std::fflush(to);
    std::fprintf(stderr, "\ninstar: %llu bytes of output were dropped here\n",
                 static_cast<unsigned long long>(dropped));
  }
  print(stream.tail);
}

int exit_of(const CellReport& report) {
  switch (report.outcome) {
    case Outcome::kExited:
      return report.exit_code.value_or(static_cast<int>(ExitCode::kNoCell));
    case Outcome::kTimeout:
      return kDeadline;
    case Outcome::kSignalled:
    case Outcome::kViolated:
      return kSignalBase + report.signal;
    case Outcome::kLimit:
      return kSignalBase + SIGKILL;  // one answer, whichever mechanism ended it
    case Outcome::kSetupFailed:
      break;
  }
  return static_cast<int>(ExitCode::kNoCell);
}

struct Plan {
  isolation::Level level = isolation::Level::kGuarded;
  bool tree_memory = false;
  CellSpec spec;
  isolation::WorkspaceSpec workspace;
  std::vector<std::string> host_files;  ///< where each declared output goes
};

Result<Plan> make_plan(const Options& options, const Globals& globals) {
  std::optional<std::filesystem::path> policy_file;
  if (options.policy) policy_file = *options.policy;
  const engine::Policy policy = INSTAR_TRY(engine::load_policy(policy_file));
  const auto requested = INSTAR_TRY(level_value("--level", options.level));
  const auto required = engine::required_level(policy, false, requested);
  INSTAR_CHECK(engine::require(required));
  Plan plan;
  plan.level = required.level;
  plan.tree_memory = engine::requires_tree_memory(policy);
  plan.spec.argv = options.command;
  plan.spec.limits = policy.cell;
  plan.spec.access = options.writable ? isolation::WorkspaceAccess::kWritable
                                      : isolation::WorkspaceAccess::kReadOnly;
  for (const auto& text : options.limits) INSTAR_CHECK(set_limit(plan.spec.limits, text));
  plan.workspace.limits = plan.spec.limits;
  for (const auto& text : options.env) {
    auto [name, value] = INSTAR_TRY(name_and_value("--env", text));
    plan.spec.env.push_back({.name = std::move(name), .value = std::move(value)});
  }
  for (const auto& text : options.outputs) {
    auto [path, host_file] = INSTAR_TRY(name_and_value("--output", text));
    plan.spec.outputs.push_back(std::move(path));
    plan.host_files.push_back(globals.directory / std::move(host_file));
  }
  if (options.workspace) plan.workspace.base = globals.directory / *options.workspace;
  return plan;
}

Result<CellReport> run_plan(const Plan& plan) {
  const auto provider = INSTAR_TRY(isolation::make_cell_provider(
      {.level = plan.level, .tree_memory = plan.tree_memory, .scratch = {}}));
  const auto workspace = INSTAR_TRY(provider->open_workspace(plan.workspace));
  return provider->run(plan.spec, *workspace, {});
}

/// Whether each declared output was there to be taken.
Result<bool> write_outputs(const Plan& plan, const CellReport& report) {
  bool all = true;
  for (std::size_t i = 0; i < report.outputs.size(); ++i) {
    const auto& output = report.outputs[i];
    if (output.refused.empty()) {
      INSTAR_CHECK(write_file_atomic(plan.host_files[i], output.bytes));
    } else {
      all = false;
      std::fprintf(stderr, "instar: no output: %s\n", escape_for_terminal(output.refused).c_str());
    }
  }
  return all;
}

Result<void> write_report(const Options& options, const Globals& globals,
                          const nlohmann::json& report) {
  if (!options.report) return {};
  const std::string text =
      report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return write_file_atomic(globals.directory / *options.report, text);
}

/// Refusals and our own failures: no part of the command ran, or its results are lost.
ExitCode report_failure(const Options& options, const Globals& globals, const Error& error) {
  CellReport report;
  report.outcome = Outcome::kSetupFailed;
  report.reason = error.message;
  nlohmann::json object = to_json(isolation::Level::kGuarded, report);
  if (options.level) object["level"] = *options.level;
  if (auto written = write_report(options, globals, object); !written) {
    print_error(written.error(), false);
  }
  print_error(error, globals.json);
  return ExitCode::kNoCell;
}

ExitCode run(const Options& options, const Globals& globals) {
  const auto plan = make_plan(options, globals);
  if (!plan) return report_failure(options, globals, plan.error());
  const auto report = run_plan(*plan);
  if (!report) return report_failure(options, globals, report.error());

  nlohmann::json object = to_json(plan->level, *report);
  const auto all_taken = write_outputs(*plan, *report);
  if (!all_taken) return report_failure(options, globals, all_taken.error());
  const auto kept = write_report(options, globals, object);
  if (!kept) return report_failure(options, globals, kept.error());
  if (globals.json) {
    print_json(std::move(object));
  } else {
    print_stream(report->out, stdout);
    print_stream(report->err, stderr);
    if (report->outcome != Outcome::kExited) {
      std::fprintf(stderr, "instar: %s: %s\n", std::string(to_string(report->outcome)).c_str(),
                   report->reason.c_str());
    }
  }
  const auto code = static_cast<ExitCode>(exit_of(*report));
  // Who asked for an output and was told 0 would go on with a file that is not there or is old.
  return code == ExitCode::kDone && !*all_taken ? ExitCode::kNoCell : code;
}

}  // namespace

Action declare_cell(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<Options>();
  app.add_option("--level", options->level);
  app.add_option("--policy", options->policy);
  app.add_option("--workspace", options->workspace);
  app.add_flag("--writable", options->writable);
  app.add_option("--limit", options->limits)->allow_extra_args(false);
  app.add_option("--env", options->env)->allow_extra_args(false);
  app.add_option("--output", options->outputs)->allow_extra_args(false);
  app.add_option("--report", options->report);
  app.add_option("command", options->command)->required();
  return [options, &globals]() -> Result<ExitCode> { return run(*options, globals); };
}

}  // namespace instar::cli
