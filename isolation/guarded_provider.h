#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "isolation/cell.h"

namespace instar::isolation {

struct GuardedOptions {
  unsigned slots = 1;  ///< cells that may run at once, each slot with a launcher of its own
  /// An existing directory; everything of the cells lives in a private directory made below it.
  /// As root, other users must be able to pass through it. Empty: $TMPDIR, else /tmp.
  std::filesystem::path scratch;
};

/// Makes cells of level guarded (Tier 1): rlimits, no_new_privs, seccomp, Landlock and, as root, a
/// kernel user of the slot's own.
///
/// Forks one launcher per slot, so it must be called before this process starts a thread: with
/// more than one it is refused. kHostCannot names the kernel feature that is missing and the fix.
/// When this process dies, however, the launchers end every cell.
Result<std::unique_ptr<CellProvider>> make_guarded_provider(const GuardedOptions& options);

}  // namespace instar::isolation
