#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "checkpoints/repository.h"
#include "engine/run/history.h"

namespace instar::engine {

/// The champion before and after.
struct RolledBack {
  std::string from;  ///< variant ids
  std::string to;
  std::string commit;
};

/// Moves the champion of a run to an accepted variant of the same run: by default the one it was
/// champion before. Verified first (the commit is there, its tree and its parents equal the
/// record); recorded and synced, then the ref moves by compare-and-swap. Can be undone by rolling
/// back to the variant it came from. A failure changes nothing.
Result<RolledBack> roll_back(const checkpoints::Repository& repository,
                             const std::filesystem::path& run_directory, const RunHistory& history,
                             const std::optional<std::string>& variant, const Clock& clock);

}  // namespace instar::engine
