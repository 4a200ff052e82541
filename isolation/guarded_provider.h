#pragma once

#include <chrono>
#include <memory>

#include "isolation/cell.h"
#include "isolation/cell_slot.h"

namespace instar::isolation {

/// Cells of level guarded (Tier 1): rlimits, no_new_privs, seccomp, Landlock and, as root, a kernel
/// user of the slot's own.
std::unique_ptr<CellProvider> guarded_cells(CellSlots slots, std::chrono::milliseconds patience);

}  // namespace instar::isolation
