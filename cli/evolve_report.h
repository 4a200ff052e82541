#pragma once

#include <cstdint>

#include "base/result.h"
#include "cli/command.h"
#include "engine/run/run_state.h"
#include "isolation/cell.h"

namespace instar::cli {

/// Prints how a run ended, as one JSON object or as a few lines with the next commands to try, and
/// gives the exit code: 0 improved, 1 unchanged, 6 cut short by a cap or breaker, 130 interrupted.
Result<ExitCode> report_run(const engine::RunResult& result, isolation::Level level,
                            std::uint64_t seed, const Globals& globals);

}  // namespace instar::cli
