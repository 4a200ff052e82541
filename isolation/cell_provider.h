#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "base/result.h"
#include "isolation/cell.h"

namespace instar::isolation {

struct ProviderOptions {
  Level level = Level::kGuarded;
  unsigned slots = 1;  ///< cells that may run at once, each slot with a launcher of its own
  /// Whether a cell whose memory no control group bounds is refused (kHostCannot, with the reason).
  bool tree_memory = false;
  /// An existing directory; everything of the cells lives in a private directory made below it.
  /// As root, other users must be able to pass through it. Empty: $TMPDIR, else /tmp.
  std::filesystem::path scratch;
  /// How long after a cell's wall deadline, or a wish to stop it, its launcher may take to end
  /// everything and answer; then the launcher is taken for lost, and the cell is ended without it.
  /// A machine that is overloaded takes seconds. The end of the provider waits as long for each
  /// launcher, but 20 s at most.
  std::chrono::milliseconds patience{60'000};
};

/// Makes cells of one level. Forks one launcher per slot, so it must be called before this process
/// starts a thread: with more than one it is refused. kHostCannot names the kernel feature that is
/// missing and the fix.
/// When this process dies, however, the launchers end every cell; when a launcher dies, this
/// process ends its cell: it becomes a subreaper, so orphans of its other children become its own.
/// Raises this process's soft limit of open descriptors to the hard one.
Result<std::unique_ptr<CellProvider>> make_cell_provider(const ProviderOptions& options);

}  // namespace instar::isolation
