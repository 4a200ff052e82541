#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/fd.h"
#include "isolation/landlock.h"
#include "isolation/launcher_protocol.h"
#include "isolation/seccomp_filter.h"

namespace instar::isolation {

/// What a launcher holds ready for its cells.
struct LauncherState {
  Fd socket;  ///< to the engine
  Fd engine;  ///< its pidfd: readable when it is dead
  pid_t engine_pid = 0;
  Fd child_event;  ///< signalfd for SIGCHLD
  uid_t user = 0;  ///< the slot's own; 0: not root
  gid_t group = 0;
  int landlock_abi = 0;
  std::vector<VisiblePlace> view;
  Filter filter;
  unsigned slots = 1;  ///< of the engine: cells that may run beside this one
};

struct Supervised {
  CellEnd end;
  bool engine_gone = false;  ///< everything is dead; nobody is left to tell
};

/// Runs one cell from its start until nothing of it lives.
Supervised supervise(const LauncherState& state, const CellRequest& request);

}  // namespace instar::isolation
