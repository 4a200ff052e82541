#include "isolation/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "isolation/cell_exec.h"
#include "isolation/cell_init.h"
#include "isolation/cell_watch.h"
#include "isolation/command_plan.h"
#include "isolation/guard_control.h"
#include "isolation/process_tree.h"
#include "isolation/tree_reaper.h"

namespace instar::isolation {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{20};  // a dying tree of any size is gone long before

Supervised setup_failure(SetupStage stage, int error) {
  return {.end = {.failed = stage, .all_dead = true, .error = error}, .outputs = {}};
}

/// Starts the command of a guarded cell.
Spawned start(const LauncherState& state, const CellRequest& request) {
  const auto plan =
      CommandPlan::make(state, request,
                        {{request.workspace, request.workspace_read_only ? FileAccess::kReadExecute
                                                                         : FileAccess::kFull},
                         {request.cell + "/home", FileAccess::kFull},
                         {request.cell + "/tmp", FileAccess::kFull},
                         {request.cell + "/out", FileAccess::kFull}});
  if (!plan) return {.failed = plan.error().stage, .error = plan.error().error};
  return plan->spawn();
}

/// Waits for the next thing to happen. True when the engine wants an end; `gone` when it is dead.
bool wait_for_event(const LauncherState& state, Clock::time_point until, bool& gone) {
  std::array<pollfd, 3> events{pollfd{state.child_event.get(), POLLIN, 0},
                               pollfd{state.socket.get(), POLLIN, 0},
                               pollfd{state.engine.get(), POLLIN, 0}};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  ::poll(events.data(), events.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
  if (events[2].revents != 0) gone = true;
  if (events[1].revents != 0) {
    LauncherMessage ignored;
    if (receive(state.socket.get(), ignored) != Incoming::kStop) gone = true;
    return true;
  }
  return gone;
}

/// Watches until the command ends, a limit is hit or the engine wants an end.
LimitHit watch(const LauncherState& state, const TreeReaper& reaper, pid_t command,
               CellWatch& looks, Reaped& reaped, bool& gone) {
  for (;;) {
    reaper.reap(command, reaped);
    if (reaped.command_status) return LimitHit::kNone;
    const LimitHit hit = looks.look(Clock::now(), reaped.cpu_s);
    if (hit != LimitHit::kNone) return hit;
    if (wait_for_event(state, looks.next_look(), gone)) return LimitHit::kStopped;
  }
}

/// What only the sums at the end can tell: CPU time and memory between two looks.
LimitHit judge_sums(const Limits& limits, const Reaped& reaped) {
  if (reaped.cpu_s >= std::chrono::duration<double>(limits.cpu).count()) return LimitHit::kCpu;
  if (reaped.largest_bytes > limits.memory_bytes && !guard_off(Guard::kMemoryLimit)) {
    return LimitHit::kMemory;
  }
  return LimitHit::kNone;
}

}  // namespace

TreeReaper make_reaper(const LauncherState& state) {
  const auto reach = state.in_namespaces ? TreeReaper::Reach::kChildren
                     : state.user != 0   ? TreeReaper::Reach::kUser
                                         : TreeReaper::Reach::kTree;
  return TreeReaper(reach, state.user, state.user_group, state.child_event.get());
}

Supervised supervise(const LauncherState& state, const CellRequest& request) {
  const auto began = Clock::now();
  const TreeReaper reaper = make_reaper(state);
  Reaped reaped;
  Supervised done;
  if (state.in_namespaces) {
    auto outputs = make_cell_places(request);
    if (!outputs) return setup_failure(SetupStage::kMounts, outputs.error().sys_errno);
    done.outputs = *std::move(outputs);
  }
  auto looks =
      CellWatch::make(request, began, {.namespaced = state.in_namespaces, .group = state.group});
  if (!looks) return setup_failure(SetupStage::kWorkspace, looks.error().sys_errno);
  CellInit init;
  if (state.in_namespaces) init = start_cell_init(state, request);
  const Spawned spawned = state.in_namespaces ? init.command : start(state, request);
  if (spawned.failed != SetupStage::kNone) {
    if (spawned.pid > 0) reaper.end_all(spawned.pid, reaped, kPatience);
    return setup_failure(spawned.failed, spawned.error);
  }

  LimitHit hit = watch(state, reaper, spawned.pid, *looks, reaped, done.engine_gone);
  const double wall_s = std::chrono::duration<double>(Clock::now() - began).count();
  const pid_t awaited = reaped.command_status ? -1 : spawned.pid;
  const bool all_dead = guard_off(Guard::kSweep) || reaper.end_all(awaited, reaped, kPatience);
  if (all_dead && !guard_off(Guard::kSweep)) reaped.cpu_s = looks->finish_cpu(reaped.cpu_s);
  if (hit == LimitHit::kNone) hit = judge_sums(request.limits, reaped);
  if (hit == LimitHit::kNone) hit = looks->final_look();
  done.end = {
      .hit = hit,
      .all_dead = all_dead,
      .status = state.in_namespaces ? status_from(init) : reaped.command_status.value_or(SIGKILL),
      .wall_s = wall_s,
      .cpu_s = reaped.cpu_s,
      .peak_bytes = std::max(looks->peak_bytes(), reaped.largest_bytes)};
  return done;
}

}  // namespace instar::isolation
