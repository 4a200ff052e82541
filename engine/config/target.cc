#include "engine/config/target.h"

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "engine/config/metric_names.h"
#include "engine/config/target_keys.h"
#include "engine/config/units.h"

namespace instar::engine {

namespace fs = std::filesystem;

namespace {

std::string show_report(const Stage& stage) {
  switch (stage.report) {
    case ReportKind::kJunit:
      return "junit " + stage.report_file;
    case ReportKind::kTap:
      return "tap " + stage.report_file;
    case ReportKind::kMetrics:
      return "metrics " + stage.report_file;
    case ReportKind::kPytest:
      return "pytest stream";
    case ReportKind::kExitCode:
      break;
  }
  return "exit code";
}

std::string show_stage(const Stage& stage) {
  std::string text = stage.command + "  (report: " + show_report(stage);
  if (stage.timeout) text += ", timeout " + show_duration(*stage.timeout);
  if (stage.per_test) text += ", per test " + show_duration(*stage.per_test);
  if (stage.repeat > 1) text += ", repeat " + std::to_string(stage.repeat);
  return text + ")";
}

std::string show_objective(const Objective& objective) {
  std::string text = objective.goal == Objective::Goal::kMinimize ? "minimize " : "maximize ";
  text += objective.metric;
  if (objective.noise) text += ", noise " + show_number(*objective.noise);
  if (objective.until) {
    text += ", until " + std::string(*objective.until < 0 ? "-" : "") +
            show_number(std::abs(*objective.until));
  }
  return text;
}

/// What a repeated stage reports is measured, not counted: where no `noise` is named, any
/// difference that the statistics find counts. Times and sizes keep the default of the comparison.
void settle_noise(Target& target) {
  const auto& resources = resource_metrics();
  for (Objective& objective : target.objectives) {
    const auto dot = objective.metric.find('.');
    const bool repeated =
        std::any_of(target.evaluate.begin(), target.evaluate.end(), [&](const Stage& stage) {
          return stage.repeat > 1 && stage.name == objective.metric.substr(0, dot);
        });
    const bool resource =
        dot != std::string::npos && std::find(resources.begin(), resources.end(),
                                              objective.metric.substr(dot + 1)) != resources.end();
    if (repeated && !resource && !objective.noise) objective.noise = 0;
  }
}

}  // namespace

Result<Target> parse_target(std::string text, const std::string& name, Policy& policy) {
  const YamlNode root = INSTAR_TRY(parse_strict_yaml(text, name));
  Target target;
  Policy tightened = policy;
  const ReadContext context{.name = name, .sources = &target.sources};
  const Value value(root, context, "");
  if (root.kind == YamlNode::Kind::kNull) {
    return value.refuse("the file is empty", "`instar init` writes one");
  }
  INSTAR_CHECK(read_map(value, target_keys(target, tightened)));
  INSTAR_CHECK(check_target(target, tightened, value));
  settle_noise(target);
  policy = std::move(tightened);
  target.digest = sha256(text);
  target.text = std::move(text);
  target.origin = name;
  return target;
}

Result<Target> load_target(const fs::path& directory, Policy& policy) {
  const fs::path path = (directory / "instar.yaml").lexically_normal();
  // An error shows the line that it is about: of a file of the target, never of one that it names.
  std::error_code none;
  if (fs::is_symlink(path, none)) {
    return fail(ErrorCode::kInvalidInput, path.string() + " is a symbolic link",
                "put the file itself there");
  }
  auto text = read_file(path, kMaxConfigBytes);
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound) {
      return fail(ErrorCode::kNotFound, "there is no " + path.string(),
                  "`instar init` writes one for what it finds; `-C DIR` names another directory");
    }
    return fail(text.error().while_doing("reading the target's file"));
  }
  Target target = INSTAR_TRY(parse_target(std::move(*text), path.string(), policy));
  if (target.name.empty()) {
    std::error_code error;
    const fs::path absolute = fs::weakly_canonical(directory, error);
    target.name = error || absolute.filename().empty() ? "target" : absolute.filename().string();
  }
  return target;
}

std::vector<Effective> effective_target(const Target& target) {
  Target shown = target;
  Policy unused;
  std::vector<Effective> all;
  for (Effective& value : effective_values(target_keys(shown, unused), target.sources)) {
    // The policy shows its own values, with those that this target made stricter.
    if (!value.key.starts_with("safety.")) all.push_back(std::move(value));
  }
  for (const Stage& stage : target.evaluate) {
    all.push_back({"evaluate." + stage.name, show_stage(stage), stage.source});
  }
  for (std::size_t i = 0; i < target.objectives.size(); ++i) {
    const std::string key = "objectives[" + std::to_string(i) + "]";
    const auto source = target.sources.find(key);
    all.push_back({key, show_objective(target.objectives[i]),
                   source == target.sources.end() ? "built-in" : source->second});
  }
  return all;
}

}  // namespace instar::engine
