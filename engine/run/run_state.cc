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

std::optional<Ended> parse_ended(std::string_view name) {
  for (const auto& [value, text] : kEndedNames) {
    if (text == name) return value;
  }
  return std::nullopt;
}

}  // namespace instar::engine
