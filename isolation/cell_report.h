#pragma once

#include "base/result.h"
#include "isolation/cell.h"
#include "isolation/cell_run.h"
#include "isolation/launcher_protocol.h"

namespace instar::isolation {

/// What the launcher's answer means: a report, or the Error of a setup step that failed, so that no
/// part of the command ran.
Result<CellReport> judge_end(const CellRun& run, const CellEnd& end);

}  // namespace instar::isolation
