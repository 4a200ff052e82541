#pragma once

#include "base/result.h"

namespace instar::cli {

/// Meets the limits that a shell set for this process (`ulimit`): a file that would grow past its
/// limit becomes an error of the write, and a stack that is too small for this program is
/// kHostCannot, before anything is done.
Result<void> meet_inherited_limits();

}  // namespace instar::cli
