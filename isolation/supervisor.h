#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/fd.h"
#include "isolation/cell_cgroup.h"
#include "isolation/landlock.h"
#include "isolation/launcher_protocol.h"
#include "isolation/layer_store.h"
#include "isolation/seccomp_filter.h"
#include "isolation/tree_reaper.h"

namespace instar::isolation {

/// What a launcher holds ready for its cells.
struct LauncherState {
  Fd socket;  ///< to the engine
  Fd engine;  ///< its pidfd: readable when it is dead
  pid_t engine_pid = 0;
  Fd child_event;  ///< signalfd for SIGCHLD
  uid_t user = 0;  ///< the slot's own; 0: not root
  gid_t user_group = 0;
  int landlock_abi = 0;
  std::vector<VisiblePlace> view;
  Filter filter;
  unsigned slots = 1;  ///< of the engine: cells that may run beside this one
  bool in_namespaces = false;
  LayerStore layers;                 ///< with namespaces: the workspaces
  const CellGroup* group = nullptr;  ///< with namespaces: where cells go, if there is one
};

/// Ends whatever this launcher's cells left.
TreeReaper make_reaper(const LauncherState& state);

struct Supervised {
  CellEnd end;
  bool engine_gone = false;  ///< everything is dead; nobody is left to tell
  Fd outputs;                ///< with namespaces: the directory of the command's outputs
};

/// Runs one cell from its start until nothing of it lives.
Supervised supervise(const LauncherState& state, const CellRequest& request);

}  // namespace instar::isolation
