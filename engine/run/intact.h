#pragma once

#include "base/result.h"
#include "checkpoints/repository.h"
#include "checkpoints/run_directory.h"

namespace instar::engine {

/// A run that was tampered with is neither gone on with nor rolled back: the anchor that is written
/// then would vouch for what somebody else made of it. kIntegrity names the first thing that is
/// not as the run's engine left it. Changes nothing.
Result<void> require_intact(const checkpoints::Repository& repository,
                            const checkpoints::RunDirectory& run);

}  // namespace instar::engine
