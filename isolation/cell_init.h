#pragma once

#include <sys/types.h>

#include "base/fd.h"
#include "isolation/cell_exec.h"
#include "isolation/launcher_protocol.h"
#include "isolation/supervisor.h"

namespace instar::isolation {

/// The first process of a cell's pid namespace: it makes what the command sees, starts the command
/// as the second process, reaps whatever the command leaves, and ends with the command; then the
/// kernel ends everything that is left in there.
struct CellInit {
  pid_t pid = -1;
  Spawned command;  ///< its pid is that of the init, for whoever waits; `failed` as told by it
  Fd report;        ///< the command's wait(2) status can be read from here when the init has ended
};

/// Makes what a cell has for itself beside its workspace, below request.cell. Gives the directory
/// for the command's outputs.
Result<Fd> make_cell_places(const CellRequest& request);

/// Starts one in namespaces of its own. Waits until the command runs or a step failed. The places
/// are the cell's alone from then on.
CellInit start_cell_init(const LauncherState& state, const CellRequest& request);

/// The command's status, or that of one that was killed: the init died before it could tell.
int status_from(const CellInit& init);

}  // namespace instar::isolation
