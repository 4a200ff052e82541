#pragma once

#include <chrono>

#include "base/result.h"

namespace instar::isolation {

/// Makes this process the one that inherits what a launcher leaves behind when it is killed. It
/// inherits the orphans of its other children as well.
Result<void> inherit_orphans();

/// Ends and reaps every child of this process that came out of a cell, with all that descends from
/// it; other children are left alone. A process of a cell is known by what it cannot take off:
/// no_new_privs and a system call filter more than this process has. Call it when the launcher is
/// dead and reaped: only then have its children changed hands.
/// False when one was still there after `patience`.
bool end_orphans(std::chrono::milliseconds patience);

}  // namespace instar::isolation
