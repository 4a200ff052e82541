#pragma once

#include <cstdint>

#include "base/result.h"

namespace instar::isolation {

/// Of what this process has, keeps the capabilities in the mask `kept` (1 << CAP_…, below 32);
/// everything else goes, also from what a child could ever gain, and executing a program gives
/// none.
Result<void> keep_capabilities(std::uint32_t kept);

/// Gives up what is left. False with errno.
bool drop_all_capabilities();

}  // namespace instar::isolation
