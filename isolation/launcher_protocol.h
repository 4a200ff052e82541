#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "isolation/cell_exec.h"
#include "isolation/layer_store.h"
#include "isolation/limits.h"

namespace instar::isolation {

/// What the engine asks of a launcher: one cell.
struct CellRequest {
  Limits limits;
  bool workspace_read_only = false;
  std::string workspace;  ///< path of the files the command works in, as the launcher sees it
  std::string cell;       ///< the same of the directory with home, tmp and out
  std::vector<std::string> argv;
  std::vector<std::string> env;  ///< NAME=VALUE
  Fd out;                        ///< where stdout goes
  Fd err;
};

/// The bound that ended a cell.
enum class LimitHit : unsigned char {
  kNone,
  kWall,
  kCpu,
  kMemory,
  kProcesses,
  kWorkspace,
  kInodes,
  kDepth,
  kHidden,   ///< files that could not be looked at
  kStopped,  ///< not a limit: the engine asked
};

/// What the launcher answers, when every process of the cell is dead and reaped. Plain data: both
/// sides are one binary.
struct CellEnd {
  SetupStage failed = SetupStage::kNone;  ///< then no part of the command ran
  LimitHit hit = LimitHit::kNone;
  bool all_dead = false;  ///< false: the kernel holds a process that cannot be killed
  int error = 0;          ///< errno of the failed stage
  int status = 0;         ///< of the command, as wait(2) gives it
  double wall_s = 0;
  double cpu_s = 0;
  std::uint64_t peak_bytes = 0;
};

/// What the engine asks about workspaces of layers.
struct WorkspaceOrder {
  enum class Kind : std::uint32_t { kOpen, kSnapshot, kClose };
  Kind kind = Kind::kOpen;
  std::uint64_t id = 0;
  std::uint64_t copy = 0;  ///< of a snapshot: the new one
  LayerLimits limits;
  std::array<char, 512> base{};  ///< path below the scratch directory, ended by NUL
};

/// Engine side. A request larger than one message holds is kInvalidInput.
Result<void> send_request(int socket, const CellRequest& request);
Result<void> send_stop(int socket);
/// Waits for the answer; kInternal when the launcher is gone. `out`, where there is one, takes the
/// directory of the command's outputs that comes with it.
Result<CellEnd> receive_end(int socket, Fd* out = nullptr);
/// `changes`: a file in memory, or -1.
Result<void> send_order(int socket, const WorkspaceOrder& order, int changes);

/// Launcher side.
enum class Incoming { kRequest, kOrder, kStop, kClosed };
struct LauncherMessage {
  CellRequest cell;      ///< of kRequest
  WorkspaceOrder order;  ///< of kOrder
  Fd changes;
};
/// Takes the next message. A malformed one counts as kClosed: the two sides no longer understand
/// each other.
Incoming receive(int socket, LauncherMessage& into);
/// `out`: the directory of the command's outputs, or -1.
bool send_end(int socket, const CellEnd& end, int out = -1);

}  // namespace instar::isolation
