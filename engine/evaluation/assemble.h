#pragma once

#include <span>

#include "engine/config/target.h"
#include "engine/evaluation/evaluation.h"
#include "engine/evaluation/stage_run.h"
#include "engine/evaluation/test_tally.h"

namespace instar::engine {

/// The evaluation that the runs of the stages make, one per stage that was reached, judged: the
/// last one alone may be other than passed. Totals, counts, tests, verdict and where it ended.
Evaluation assemble(const Target& target, std::span<const StageRun> runs, const TestBase& base,
                    std::uint64_t patch_lines, std::uint64_t patch_files);

/// Samples of `cpu_s`, `wall_s` and `peak_memory_bytes` of the whole cascade, where every stage has
/// the same number of them.
void add_total_samples(const Target& target, Samples& samples);

}  // namespace instar::engine
