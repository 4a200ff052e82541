#pragma once

#include "base/result.h"
#include "cli/check_report.h"
#include "engine/evaluation/evaluation.h"

namespace instar::cli {

/// Runs the base in cells as a run would begin with it: prepared, and three times through every
/// stage. An Error when it cannot serve as a yardstick; failing tests are data. Forks the cells'
/// launchers, so no thread may exist yet. Writes nothing into the target.
Result<engine::Baseline> run_base(const CheckReport& report,
                                  const std::filesystem::path& directory);

}  // namespace instar::cli
