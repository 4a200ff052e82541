#pragma once

#include <filesystem>

#include "base/result.h"
#include "checkpoints/repository.h"

namespace instar::engine {

/// Whether a run may work on the target in `directory`, by where things lie. Refused: a directory
/// that is not the top of its repository, since the patterns of `instar.yaml` match from there; and
/// a repository inside a directory of the host that every cell can read (`out_of_sight`).
Result<void> check_place(const std::filesystem::path& directory,
                         const checkpoints::Repository& repository);

/// kRefused when `path`, links followed, lies in a directory that every guarded cell sees.
Result<void> out_of_sight(const std::filesystem::path& path);

}  // namespace instar::engine
