#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>

#include "base/result.h"
#include "isolation/cell.h"
#include "isolation/guarded_workspace.h"

namespace instar::isolation {

/// Everything for one run of one command, all of it borrowed.
struct GuardedRun {
  const CellSpec& spec;
  const GuardedWorkspace& workspace;
  SlotHome& home;
  int launcher;                        ///< socket
  std::chrono::milliseconds patience;  ///< for the launcher's answer, after the deadline
  int landlock_abi;
};

/// The engine's side of one cell: makes its private directories, hands the command to the launcher,
/// drains its output while it runs, and collects what may leave when everything is dead.
/// kInternal: the launcher is dead or does not answer, and the cell may live on.
Result<CellReport> run_guarded(const GuardedRun& run, std::stop_token stop);

}  // namespace instar::isolation
