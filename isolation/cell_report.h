#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "isolation/cell.h"
#include "isolation/launcher_protocol.h"

namespace instar::isolation {

/// What the launcher's answer means: a report, or the Error of a setup step that failed, so that no
/// part of the command ran. `enforced`: what held each limit and guard of this cell.
Result<CellReport> judge_end(const CellSpec& spec, const CellEnd& end,
                             std::map<std::string, std::string> enforced);

}  // namespace instar::isolation
