#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "base/child.h"
#include "base/fd.h"
#include "base/result.h"
#include "isolation/cell_cgroup.h"
#include "isolation/slot_user.h"

namespace instar::isolation {

/// What a launcher is started with, all of it borrowed.
struct LauncherOptions {
  const SlotUser& user;
  int scratch_lock;
  unsigned slots;  ///< of the engine
  /// With it, the launcher makes namespace cells, above layers below this directory.
  std::optional<std::filesystem::path> scratch;
  uid_t keeper = 0;  ///< with namespaces: whose files cells cannot change; 0: nobody's
  const CellGroup* group = nullptr;  ///< with namespaces: which cells enter, where there is one
};

/// One launcher as the engine sees it.
struct Launcher {
  Child process;
  Fd socket;  ///< closing it makes the launcher end its cell and exit
};

/// Forks a launcher: a small single-threaded process that starts the cells of one slot, is the
/// subreaper of everything they leave, and ends all of it when the engine dies. Call it only while
/// this process has one thread. An error names the setup step that failed.
/// The scratch lock stays held by the launcher, so that nobody removes files under a living cell.
Result<Launcher> start_launcher(const LauncherOptions& options);

}  // namespace instar::isolation
