#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "checkpoints/repository.h"
#include "checkpoints/run_directory.h"

namespace instar::engine {

/// The champion before and after.
struct RolledBack {
  std::string from;  ///< variant ids
  std::string to;
  std::string commit;
};

/// Moves the champion of a run to an accepted variant of the same run, named by a beginning of its
/// id; by default to the champion before this one. Verified first (the ref is where the record
/// says, the commit is there, its tree and its parents equal the record); recorded and synced, then
/// the ref moves by compare-and-swap. Can be undone by rolling back to the variant it came from.
///
/// A failure before the record changes nothing. After one that came behind it (a crash, a locked
/// ref) the next call completes the move, and is done when it asks for that same move.
Result<RolledBack> roll_back(const checkpoints::Repository& repository,
                             const checkpoints::RunDirectory& run,
                             const std::optional<std::string>& variant, const Clock& clock);

}  // namespace instar::engine
