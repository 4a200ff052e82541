#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <vector>

#include "base/result.h"

namespace instar::isolation {

/// What the filter must know about the host and the slot.
struct FilterOptions {
  /// Landlock before ABI 3 does not see truncate(2): it is refused here instead.
  bool refuse_truncate = false;
  /// Processes and process groups that the cell must not signal where neither a user of its own nor
  /// Landlock's scope (ABI 6) keeps it away: the engine and its launchers, and kill(-1).
  std::vector<pid_t> shielded;
};

/// A compiled filter: plain numbers, so that installing it needs no allocation.
using Filter = std::vector<sock_filter>;

/// Compiles the filter of a guarded cell. Refusals answer an errno; only calls of a foreign
/// architecture kill.
Result<Filter> compile_filter(const FilterOptions& options);

}  // namespace instar::isolation
