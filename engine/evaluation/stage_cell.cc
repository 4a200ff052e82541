#include "engine/evaluation/stage_cell.h"

#include <algorithm>
#include <cmath>

#include "engine/evaluation/base_files.h"
#include "instar_pytest_plugin_py.h"

namespace instar::engine {

namespace {

using std::chrono::milliseconds;

/// Ten times what the base takes: a variant may be slower, a loaded machine too, and a hang is far
/// beyond both.
constexpr double kAdaptiveFactor = 10;
constexpr milliseconds kLeastDeadline{1000};
/// A process that computes for a second may wait for the machine for some more.
constexpr int kWallFactor = 4;
/// Of a base whose tests nobody has timed yet: generous, and still four of them fit in a minute.
constexpr milliseconds kFirstPerTest{10'000};
/// Hanging tests that a stage can meet before its own deadline ends it.
constexpr int kHangsPerStage = 3;

milliseconds from_seconds(double seconds) {
  constexpr double kLongest = 1e9;  // 11 days: beyond any cap, and far from overflow
  return milliseconds(static_cast<std::int64_t>(std::ceil(std::min(seconds * 1000, kLongest))));
}

double value_or_zero(const std::map<std::string, double>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

void set(std::vector<isolation::EnvVar>& env, const std::string& name, std::string value) {
  std::erase_if(env, [&](const isolation::EnvVar& var) { return var.name == name; });
  env.push_back({.name = name, .value = std::move(value)});
}

std::string get(const std::vector<isolation::EnvVar>& env, std::string_view name) {
  for (const auto& var : env) {
    if (var.name == name) return var.value;
  }
  return {};
}

}  // namespace

StageDeadline stage_deadline(const Stage& stage, const isolation::Limits& cap,
                             const Baseline* baseline) {
  const milliseconds most = std::min(cap.cpu, stage.timeout.value_or(cap.cpu));
  StageDeadline deadline{.cpu = most, .wall = kWallFactor * most, .per_test = {}};
  const bool known = baseline != nullptr && baseline->cpu_s.contains(stage.name);
  if (stage.report == ReportKind::kPytest) {
    const double slowest =
        baseline == nullptr ? 0 : value_or_zero(baseline->slowest_test_cpu_s, stage.name);
    const milliseconds usual =
        slowest > 0 ? std::max(kLeastDeadline, from_seconds(kAdaptiveFactor * slowest))
                    : std::min(kFirstPerTest, most / 4);
    deadline.per_test = std::max(milliseconds(1), std::min(stage.per_test.value_or(usual), most));
  }
  if (known) {
    const milliseconds adaptive = std::max(
        kLeastDeadline, from_seconds(kAdaptiveFactor * value_or_zero(baseline->cpu_s, stage.name)));
    deadline.cpu = std::min(most, adaptive + kHangsPerStage * deadline.per_test);
    deadline.wall =
        std::max(kWallFactor * deadline.cpu,
                 from_seconds(kAdaptiveFactor * value_or_zero(baseline->wall_s, stage.name)));
  }
  deadline.wall = std::min(deadline.wall, std::max(cap.wall, kLeastDeadline));
  return deadline;
}

isolation::CellSpec command_cell(const std::string& command, const Target& target,
                                 const isolation::Limits& cap, unsigned slot) {
  isolation::CellSpec spec;
  spec.argv = {"/bin/sh", "-c", command};
  for (const auto& [name, value] : target.env) spec.env.push_back({.name = name, .value = value});
  // Bytecode beside a source would be loaded in its place by a later stage.
  set(spec.env, "PYTHONDONTWRITEBYTECODE", "1");
  spec.limits = cap;
  spec.slot = slot;
  return spec;
}

isolation::CellSpec stage_cell(const Stage& stage, const Target& target,
                               const isolation::Limits& cap, const StageDeadline& deadline,
                               unsigned slot) {
  isolation::CellSpec spec = command_cell(stage.command, target, cap, slot);
  spec.limits.cpu = deadline.cpu;
  spec.limits.wall = deadline.wall;
  spec.outputs = stage.outputs;
  if (!stage.report_file.empty()) spec.outputs.push_back(stage.report_file);
  if (stage.report != ReportKind::kPytest) return spec;

  spec.outputs.emplace_back(kPytestStreamFile);
  const std::string module(kPytestPluginModule);
  const std::string directory = "$INSTAR_WORK/" + std::string(kReservedDirectory);
  // The workspace's place is known only inside, so a shell puts it into PYTHONPATH; the command
  // itself goes to a shell of its own, unchanged.
  spec.argv = {
      "/bin/sh", "-c",
      "export PYTHONPATH=\"" + directory + "${PYTHONPATH:+:$PYTHONPATH}\"; exec sh -c \"$1\"", "sh",
      stage.command};
  set(spec.env, "PYTEST_ADDOPTS",
      "-p " + module + " -p no:cacheprovider " + get(spec.env, "PYTEST_ADDOPTS"));
  // A plugin that a variant drops somewhere on the path is not loaded by its mere presence.
  set(spec.env, "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1");
  set(spec.env, "PYTHONHASHSEED", "0");
  set(spec.env, "PYTEST_INSTAR_STREAM", std::string(kPytestStreamFile));
  set(spec.env, "PYTEST_INSTAR_PER_TEST",
      std::to_string(static_cast<double>(deadline.per_test.count()) / 1000));
  return spec;
}

std::string_view pytest_plugin_source() { return embedded::instar_pytest_plugin; }

}  // namespace instar::engine
