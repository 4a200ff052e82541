#pragma once

#include <sys/types.h>

#include "base/child.h"
#include "base/fd.h"
#include "base/result.h"
#include "isolation/slot_user.h"

namespace instar::isolation {

/// One launcher as the engine sees it.
struct Launcher {
  Child process;
  Fd socket;  ///< closing it makes the launcher end its cell and exit
};

/// Forks a launcher: a small single-threaded process that starts the cells of one slot, is the
/// subreaper of everything they leave, and ends all of it when the engine dies. Call it only while
/// this process has one thread. An error names the setup step that failed.
/// `scratch_lock` stays held by the launcher, so that nobody removes files under a living cell.
Result<Launcher> start_launcher(const SlotUser& user, int scratch_lock, unsigned slots);

}  // namespace instar::isolation
