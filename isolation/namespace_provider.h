#pragma once

#include <chrono>
#include <memory>

#include "isolation/cell.h"
#include "isolation/cell_slot.h"

namespace instar::isolation {

/// Cells of level namespace (Tier 1.5): a root, processes, mounts, a network and ids of their own,
/// the target's files read-only below what the command writes, and all that guards a guarded cell.
std::unique_ptr<CellProvider> namespace_cells(CellSlots slots, std::chrono::milliseconds patience);

}  // namespace instar::isolation
