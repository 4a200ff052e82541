#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "engine/config/policy.h"
#include "isolation/level_available.h"

namespace instar::engine {

namespace {

using isolation::Level;

constexpr std::string_view kRequested = "requested: --level ";

/// "trust.host: shared (safety.yaml:7)".
std::string written(const Policy& policy, const std::string& key, std::string_view value) {
  const auto source = policy.sources.find(key);
  return key + ": " + std::string(value) + " (" +
         (source == policy.sources.end() ? "built-in" : source->second) + ")";
}

}  // namespace

bool requires_tree_memory(const Policy& policy) {
  const auto& required = policy.cell_require;
  return std::find(required.begin(), required.end(), "tree_memory") != required.end();
}

RequiredLevel required_level(const Policy& policy, bool untrusted_generator,
                             std::optional<Level> requested) {
  RequiredLevel required{policy.floor, {written(policy, "level", to_string(policy.floor))}};
  const auto raise = [&](Level level, std::string reason) {
    if (level <= policy.floor) return;
    if (level > required.level) required.level = level;
    required.reasons.push_back(std::move(reason));
  };
  const Trust& trust = policy.trust;
  if (trust.generator == Trust::Generator::kUntrusted) {
    raise(Level::kContainer, written(policy, "trust.generator", "untrusted"));
  } else if (trust.generator == Trust::Generator::kAuto && untrusted_generator) {
    raise(Level::kContainer, written(policy, "trust.generator", "auto") +
                                 ": the generator is a model or an external program");
  }
  if (trust.host == Trust::Host::kShared) {
    raise(Level::kContainer, written(policy, "trust.host", "shared"));
  }
  if (trust.target == Trust::Target::kSideEffects) {
    raise(Level::kContainer, written(policy, "trust.target", "side-effects"));
  }
  if (trust.secrets == Trust::Secrets::kHighValue) {
    raise(Level::kContainer, written(policy, "trust.secrets", "high-value"));
  }
  for (const std::string& guarantee : policy.cell_require) {
    if (guarantee != "tree_memory") continue;
    raise(Level::kNamespace, written(policy, "cell.require", guarantee) +
                                 ": a guarded cell watches its tree's memory, only a cgroup "
                                 "bounds it");
  }
  // A request raises and never lowers: what asks for less than the policy has no effect.
  if (requested) raise(*requested, std::string(kRequested) + std::string(to_string(*requested)));
  // The least level is no reason for a higher one.
  if (policy.floor == Level::kGuarded && required.reasons.size() > 1) {
    required.reasons.erase(required.reasons.begin());
    required.only_requested = required.reasons.front().starts_with(kRequested);
  }
  return required;
}

Result<void> require(const RequiredLevel& required) {
  auto available = isolation::require_level(required.level);
  if (available) return available;
  Error error = available.error();
  error.message += "; it is required by " + join(required.reasons, ", ");
  if (required.only_requested && isolation::level_available().level) {
    error.hint = "leave --level out: nothing else asks for more than guarded";
  }
  return fail(std::move(error));
}

}  // namespace instar::engine
