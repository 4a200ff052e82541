#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "isolation/cell.h"

namespace instar::isolation {

/// The strongest level that this host with this build can give.
struct Availability {
  std::optional<Level> level;  ///< nothing: not even guarded
  std::string reason;          ///< why it is not more, one sentence
  std::string fix;             ///< what would give more
};

/// Asks the kernel, changes nothing.
Availability level_available();

/// kHostCannot when `required` is more than there is: names both levels, the reason and the fix.
Result<void> require_level(Level required);

}  // namespace instar::isolation
