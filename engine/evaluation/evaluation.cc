#include "engine/evaluation/evaluation.h"

#include <array>

#include "base/text.h"

namespace instar::engine {

namespace {

struct NamedVerdict {
  Verdict verdict;
  std::string_view name;
};
constexpr std::array<NamedVerdict, 5> kVerdicts{{{Verdict::kPassed, "passed"},
                                                 {Verdict::kFailed, "failed"},
                                                 {Verdict::kTimeout, "timeout"},
                                                 {Verdict::kViolated, "violated"},
                                                 {Verdict::kInfra, "infra"}}};

}  // namespace

std::string_view to_string(Verdict verdict) {
  for (const auto& named : kVerdicts) {
    if (named.verdict == verdict) return named.name;
  }
  return "infra";
}

std::optional<Verdict> parse_verdict(std::string_view name) {
  for (const auto& named : kVerdicts) {
    if (named.name == name) return named.verdict;
  }
  return std::nullopt;
}

std::string to_string(const TestId& id) {
  std::string text = id.stage + ":";
  if (!id.classname.empty()) text += id.classname + "::";
  return escape_for_terminal(text + id.name);
}

}  // namespace instar::engine
