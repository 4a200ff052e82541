#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "checkpoints/store.h"

namespace instar::checkpoints {

/// What the ref of exactly this name stands at; nothing when there is none.
Result<std::optional<std::string>> ref_target(CheckpointStore& store, const std::string& name);

}  // namespace instar::checkpoints
