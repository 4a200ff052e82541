#include "engine/evaluation/repeats.h"

#include <algorithm>

#include "engine/evaluation/compare.h"
#include "engine/evaluation/stage_run.h"

namespace instar::engine {

namespace {

bool belongs_to(const std::string& metric, const Stage& stage) {
  return metric.starts_with(stage.name + ".");
}

/// Whether the value of a metric is final once the stages before `next` have run.
bool final_before(const Target& target, std::size_t next, const std::string& metric) {
  if (metric.starts_with("patch.")) return true;
  const auto rest = target.evaluate.begin() + static_cast<std::ptrdiff_t>(next);
  if (metric.starts_with("tests.")) {
    return std::none_of(rest, target.evaluate.end(), reports_tests);
  }
  return std::any_of(target.evaluate.begin(), rest,
                     [&](const Stage& stage) { return belongs_to(metric, stage); });
}

}  // namespace

unsigned repeats_of(const Target& target, const Stage& stage) {
  const bool looked_at = std::any_of(
      target.objectives.begin(), target.objectives.end(), [&](const Objective& objective) {
        if (!is_noisy(objective)) return false;
        const bool total = objective.metric == measured_name(objective.metric);
        return total || belongs_to(objective.metric, stage);
      });
  return looked_at ? std::max(stage.repeat, kMinNoisyRepeats) : std::max(stage.repeat, 1U);
}

bool settled_before(const Target& target, std::size_t next, const Metrics& variant,
                    const Metrics& parent) {
  for (const Objective& objective : target.objectives) {
    if (is_noisy(objective) || !final_before(target, next, objective.metric)) return false;
    const auto mine = variant.find(objective.metric);
    const auto theirs = parent.find(objective.metric);
    if ((mine == variant.end()) != (theirs == parent.end())) return true;
    if (mine != variant.end() && mine->second != theirs->second) return true;
  }
  return false;
}

}  // namespace instar::engine
