#include <algorithm>
#include <set>

#include "base/text.h"
#include "engine/config/metric_names.h"
#include "engine/config/target_keys.h"
#include "engine/config/units.h"

namespace instar::engine {

bool reports_tests(const Stage& stage) {
  return stage.report == ReportKind::kJunit || stage.report == ReportKind::kTap ||
         stage.report == ReportKind::kPytest;
}

namespace {

/// The i-th item of a list of maps, to show errors where they were written.
Value item_of(const Value& list, std::size_t i) {
  return {list.node().items[i], list.context(), list.path() + "[" + std::to_string(i) + "]"};
}

Result<void> check_stage(const Stage& stage, const Policy& policy, const Value& at) {
  if (stage.per_test && stage.report != ReportKind::kPytest) {
    return at.at("per_test")
        .refuse("only `report: {pytest: stream}` can hold a deadline per test",
                "remove it, or use pytest with that report");
  }
  if (stage.timeout && *stage.timeout > policy.cell.wall) {
    return at.at("timeout").refuse(show_duration(*stage.timeout) + " is longer than cell.wall " +
                                       show_duration(policy.cell.wall) +
                                       " of the policy, which would end the cell first",
                                   "lower it, or have the operator raise cell.wall in safety.yaml");
  }
  if (stage.per_test && *stage.per_test >= stage.timeout.value_or(policy.cell.wall)) {
    return at.at("per_test")
        .refuse(show_duration(*stage.per_test) + " is not shorter than the stage's " +
                    show_duration(stage.timeout.value_or(policy.cell.wall)),
                "make the deadline of one test shorter than the one of its stage");
  }
  return {};
}

/// Empty when the metric can exist; else why not.
std::string why_unmeasured(const std::string& metric, const std::vector<Stage>& stages) {
  if (std::string why = why_no_metric(metric); !why.empty()) return why;
  if (metric.starts_with("tests.")) {
    return std::any_of(stages.begin(), stages.end(), reports_tests)
               ? ""
               : "no stage has a test report (junit, tap or pytest)";
  }
  const auto& measured = measured_metrics();
  if (std::find(measured.begin(), measured.end(), metric) != measured.end()) return {};
  const auto dot = metric.find('.');
  const auto stage = std::find_if(stages.begin(), stages.end(),
                                  [&](const Stage& s) { return s.name == metric.substr(0, dot); });
  if (stage == stages.end()) return "there is no stage of that name";
  const auto& resources = resource_metrics();
  const bool resource =
      std::find(resources.begin(), resources.end(), metric.substr(dot + 1)) != resources.end();
  if (resource || stage->report == ReportKind::kMetrics) return {};
  return "the stage has no `report: {metrics: FILE}`, so only " + join(resources, ", ") +
         " are measured of it";
}

std::vector<std::string> possible_metrics(const std::vector<Stage>& stages) {
  std::vector<std::string> names;
  for (const std::string& name : measured_metrics()) {
    if (why_unmeasured(name, stages).empty()) names.push_back(name);
  }
  for (const Stage& stage : stages) {
    for (const std::string& name : resource_metrics()) names.push_back(stage.name + "." + name);
  }
  return names;
}

Result<void> check_objectives(const Target& target, const Value& list) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < target.objectives.size(); ++i) {
    const std::string& metric = target.objectives[i].metric;
    const Value at = item_of(list, i).at("metric");
    if (!seen.insert(metric).second) {
      return at.refuse(ticked(metric) + " is an objective already", "name each metric once");
    }
    const std::string why = why_unmeasured(metric, target.evaluate);
    if (why.empty()) continue;
    const auto possible = possible_metrics(target.evaluate);
    const std::string near = did_you_mean(metric, possible);
    return at.refuse(ticked(metric) + " cannot be measured: " + why,
                     (near.empty() ? "" : "did you mean `" + near + "`? ") +
                         "measured here: " + join(possible, ", "));
  }
  return {};
}

}  // namespace

Result<void> check_target(const Target& target, const Policy& policy, const Value& root) {
  const Value stages = root.at("evaluate");
  std::set<std::string> names;
  for (std::size_t i = 0; i < target.evaluate.size(); ++i) {
    const Stage& stage = target.evaluate[i];
    const Value at = item_of(stages, i);
    if (!names.insert(stage.name).second) {
      return at.at("name").refuse("there is a stage " + ticked(stage.name) + " already",
                                  "give each stage a name of its own");
    }
    INSTAR_CHECK(check_stage(stage, policy, at));
  }
  return check_objectives(target, root.at("objectives"));
}

}  // namespace instar::engine
