#include "isolation/cell.h"

#include <array>
#include <utility>

namespace instar::isolation {

namespace {
constexpr std::array<std::pair<Level, std::string_view>, 3> kLevels{{
    {Level::kGuarded, "guarded"},
    {Level::kNamespace, "namespace"},
    {Level::kContainer, "container"},
}};
}  // namespace

std::string_view to_string(Level level) {
  for (const auto& [value, name] : kLevels) {
    if (value == level) return name;
  }
  return "unknown";
}

std::optional<Level> parse_level(std::string_view name) {
  for (const auto& [value, known] : kLevels) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kExited:
      return "exited";
    case Outcome::kSignalled:
      return "signalled";
    case Outcome::kTimeout:
      return "timeout";
    case Outcome::kLimit:
      return "limit";
    case Outcome::kViolated:
      return "violated";
    case Outcome::kSetupFailed:
      break;
  }
  return "setup-failed";
}

}  // namespace instar::isolation
