#include "engine/run/run_state.h"

#include <array>
#include <utility>

namespace instar::engine {

namespace {

constexpr std::array<std::pair<Ended, std::string_view>, 8> kEndedNames{{
    {Ended::kSolved, "solved"},
    {Ended::kVariants, "variants"},
    {Ended::kWall, "wall"},
    {Ended::kPlateau, "plateau"},
    {Ended::kExhausted, "exhausted"},
    {Ended::kCap, "cap"},
    {Ended::kBreaker, "breaker"},
    {Ended::kInterrupted, "interrupted"},
}};

}  // namespace

std::string_view to_string(Ended ended) {
  for (const auto& [value, name] : kEndedNames) {
    if (value == ended) return name;
  }
  return "exhausted";
}

std::vector<std::string> objective_names(const std::vector<Objective>& objectives) {
  std::vector<std::string> names;
  names.reserve(objectives.size());
  for (const Objective& objective : objectives) names.push_back(objective.metric);
  return names;
}

}  // namespace instar::engine
