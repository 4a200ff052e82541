#pragma once

#include "base/result.h"
#include "isolation/cell.h"

namespace instar::isolation {

/// What no level can run: no command, a NUL in an argument, a limit of zero. kInvalidInput.
Result<void> check_spec(const CellSpec& spec);

}  // namespace instar::isolation
