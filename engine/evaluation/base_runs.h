#pragma once

#include <array>
#include <stop_token>
#include <vector>

#include "base/result.h"
#include "engine/evaluation/lane.h"
#include "engine/evaluation/test_tally.h"

namespace instar::engine {

/// The base is run three times: twice would not tell which of two answers is the rule.
inline constexpr std::size_t kBaseRuns = 3;

/// Runs the base's stages, each on every lane before the next, and makes the yardstick of every
/// variant from what they showed. An Error, with an excerpt of the output, when the base cannot
/// serve: a stage that is unstable, a violation, tests whose ids nobody can tell, or flaky tests
/// where the target refuses them.
Result<Baseline> measure_base(const Target& target, const isolation::Limits& limits,
                              std::vector<Lane>& lanes, std::stop_token stop);

/// The tests of a stage as several runs of the base showed them; `listed` are ids that a `list:`
/// command printed. Tests whose outcome is good in one run and not in another are flaky. No id at
/// all, or a report that only some runs gave, is an Error.
Result<TestBase> combine_tests(const Stage& stage, const std::vector<StageRun>& runs,
                               const std::vector<TestRecord>& listed);

}  // namespace instar::engine
