#include "engine/evaluation/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "engine/config/metric_names.h"
#include "engine/evaluation/rank_test.h"

namespace instar::engine {

namespace {

using Order = Comparison::Result;

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::optional<double> value_of(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  if (found == metrics.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

std::span<const double> samples_of(const Samples& samples, const std::string& name) {
  const auto found = samples.find(name);
  return found == samples.end() ? std::span<const double>()
                                : std::span<const double>(found->second);
}

struct Judged {
  Order order = Order::kEqual;
  std::string note;
};

Order order_of(bool variant_wins) { return variant_wins ? Order::kBetter : Order::kWorse; }

/// Whether `low` is really below `high`, and how sure that is.
bool significantly_below(std::span<const double> low, std::span<const double> high, double noise,
                         double& p) {
  const double gap = median(high) - median(low);
  if (!(gap > noise * std::fabs(median(high)))) return false;
  p = rank_sum_p(low, high);
  return p <= kSignificance;
}

Judged judge_samples(const Objective& objective, std::span<const double> variant,
                     std::span<const double> parent) {
  const double noise =
      objective.noise.value_or(measured_name(objective.metric).empty() ? 0 : kMeasuredNoise);
  const bool low_wins = objective.goal == Objective::Goal::kMinimize;
  double p = 1;
  for (const bool variant_is_low : {true, false}) {
    const bool differs = variant_is_low ? significantly_below(variant, parent, noise, p)
                                        : significantly_below(parent, variant, noise, p);
    if (!differs) continue;
    std::array<char, 32> note{};
    std::snprintf(note.data(), note.size(), " (p = %.2g)", p);
    return {.order = order_of(variant_is_low == low_wins), .note = note.data()};
  }
  return {};
}

Comparison compare_one(const Objective& objective, const Evaluation& variant,
                       const Evaluation& parent) {
  const auto mine = value_of(variant.metrics, objective.metric);
  const auto theirs = value_of(parent.metrics, objective.metric);
  if (!mine && !theirs) return {};
  if (!mine || !theirs) {
    return {.result = order_of(mine.has_value()),
            .metric = objective.metric,
            .detail = objective.metric + " " + (theirs ? number(*theirs) : "missing") + " -> " +
                      (mine ? number(*mine) : "missing")};
  }
  const auto my_samples = samples_of(variant.samples, objective.metric);
  const auto their_samples = samples_of(variant.parent_samples, objective.metric);
  Judged judged;
  double from = *theirs;
  double to = *mine;
  if (!my_samples.empty() && !their_samples.empty()) {
    // The parent's own old samples are never used: the machine may have changed since.
    judged = judge_samples(objective, my_samples, their_samples);
    from = median(their_samples);
    to = median(my_samples);
  } else if (!is_noisy(objective) && *mine != *theirs) {
    judged.order = order_of((*mine < *theirs) == (objective.goal == Objective::Goal::kMinimize));
  }
  if (judged.order == Order::kEqual) return {};
  return {.result = judged.order,
          .metric = objective.metric,
          .detail = objective.metric + " " + number(from) + " -> " + number(to) + judged.note};
}

}  // namespace

std::string_view measured_name(std::string_view metric) {
  const std::string_view last = metric.substr(metric.rfind('.') + 1);
  for (const std::string& name : resource_metrics()) {
    if (last == name) return name;
  }
  return {};
}

bool is_noisy(const Objective& objective) {
  return objective.noise.has_value() || !measured_name(objective.metric).empty();
}

Comparison compare(std::span<const Objective> objectives, const Evaluation& variant,
                   const Evaluation& parent) {
  if (variant.verdict != Verdict::kPassed && variant.verdict != Verdict::kFailed) {
    return {.result = Order::kWorse,
            .metric = {},
            .detail = "its verdict is " + std::string(to_string(variant.verdict))};
  }
  for (const Objective& objective : objectives) {
    Comparison one = compare_one(objective, variant, parent);
    if (one.result != Order::kEqual) return one;
  }
  Comparison by_size = compare_one({.goal = Objective::Goal::kMinimize,
                                    .metric = "patch.lines",
                                    .noise = std::nullopt,
                                    .until = std::nullopt},
                                   variant, parent);
  if (by_size.result != Order::kEqual) {
    by_size.detail = "no objective differs; " + by_size.detail;
  }
  return by_size;
}

bool solved(std::span<const Objective> objectives, const Metrics& metrics) {
  return !objectives.empty() &&
         std::all_of(objectives.begin(), objectives.end(), [&](const Objective& objective) {
           const auto value = value_of(metrics, objective.metric);
           if (!objective.until || !value) return false;
           return objective.goal == Objective::Goal::kMinimize ? *value <= *objective.until
                                                               : *value >= *objective.until;
         });
}

}  // namespace instar::engine
