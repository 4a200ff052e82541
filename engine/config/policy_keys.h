#pragma once

#include <vector>

#include "engine/config/policy.h"
#include "engine/config/strict_keys.h"

namespace instar::engine {

enum class PolicyFile { kOperator, kTargetPart };

/// The table of safety.yaml, bound to `policy`, which must outlive it. A target's `safety:` part is
/// read with the same one, without `version`.
std::vector<Key> policy_keys(Policy& policy, PolicyFile file);

/// The limits of a cell: a part of the table, also read by `instar cell --limit KEY=VALUE`.
std::vector<Key> limit_keys(isolation::Limits& limits);

/// What no single key can know: combinations that make no sense. `root` is the map they stand in.
Result<void> check_combinations(const Policy& policy, const Value& root);

}  // namespace instar::engine
