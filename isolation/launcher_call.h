#pragma once

#include <chrono>
#include <stop_token>

#include "base/fd.h"
#include "base/result.h"
#include "isolation/cell.h"
#include "isolation/launcher_protocol.h"

namespace instar::isolation {

/// What a launcher told of a command, and what the command printed.
struct LauncherAnswer {
  CellEnd end;
  CapturedStream out;
  CapturedStream err;
  Fd outputs;  ///< where the command's outputs are, of a launcher that sends it
};

/// Hands a command to a launcher, drains its output while it runs, and waits for the end: at most
/// the command's wall deadline and `patience`. A wish to stop is passed on.
/// kInternal: the launcher is dead or does not answer, and the cell may live on.
Result<LauncherAnswer> call_launcher(int launcher, CellRequest request,
                                     std::chrono::milliseconds patience, std::stop_token stop);

}  // namespace instar::isolation
