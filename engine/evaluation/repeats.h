#pragma once

#include <cstddef>

#include "engine/config/target.h"
#include "engine/evaluation/evaluation.h"

namespace instar::engine {

/// How often a stage is measured for a comparison: its `repeat`, or enough for the statistical test
/// where a noisy objective looks at one of its metrics.
unsigned repeats_of(const Target& target, const Stage& stage);

/// Whether variant and parent are told apart before the stage `next` runs, by an objective that is
/// exact and whose metric no stage from `next` on can change. Then nothing needs to be repeated.
bool settled_before(const Target& target, std::size_t next, const Metrics& variant,
                    const Metrics& parent);

}  // namespace instar::engine
