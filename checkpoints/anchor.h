#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "checkpoints/ledger.h"
#include "checkpoints/store.h"

namespace instar::checkpoints {

// The anchor is where the ledger stood at the last clean end of a run: a blob "seq sha256\n" under
// refs/instar/<run>/anchor. It shows that records behind it were cut off; records after it are
// unprotected.

/// Moves the run's anchor to `position` by compare-and-swap.
Result<void> write_anchor(CheckpointStore& store, const std::string& run,
                          const LedgerPosition& position);
/// The run's anchor; nothing when it has none. One that is malformed is kIntegrity.
Result<std::optional<LedgerPosition>> read_anchor(CheckpointStore& store, const std::string& run);

}  // namespace instar::checkpoints
