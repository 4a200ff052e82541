#pragma once

#include <vector>

#include "engine/config/strict_keys.h"
#include "engine/config/target.h"

namespace instar::engine {

/// The table of one entry of `evaluate`, bound to `stage`, which must outlive it.
std::vector<Key> stage_keys(Stage& stage);

/// The table of instar.yaml, bound to `target` and, for its `safety:` part, to `policy`.
std::vector<Key> target_keys(Target& target, Policy& policy);

/// What no single key can know: names that are used twice, metrics that nothing measures, deadlines
/// that do not nest. `root` is the whole file.
Result<void> check_target(const Target& target, const Policy& policy, const Value& root);

}  // namespace instar::engine
