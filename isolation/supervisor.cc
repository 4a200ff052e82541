#include "isolation/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>

#include "base/text.h"
#include "isolation/cell_exec.h"
#include "isolation/cell_watch.h"
#include "isolation/guard_control.h"
#include "isolation/process_tree.h"
#include "isolation/tree_reaper.h"

namespace instar::isolation {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{20};  // a dying tree of any size is gone long before

/// Hard = soft, and never above what this process may give: lower is stricter.
LimitEntry limit_entry(int resource, std::uint64_t value) {
  rlimit current{};
  ::getrlimit(static_cast<__rlimit_resource>(resource), &current);
  const auto wanted = std::min<rlim_t>(value, current.rlim_max);
  return {.resource = resource, .value = {.rlim_cur = wanted, .rlim_max = wanted}};
}

/// RLIMIT_NPROC. It counts per user: for a user of the slot's own one more than allowed, so that
/// the watch sees who wants more and can name it. For a user that is shared with everything else of
/// theirs it is only a backstop behind the watch, with room for all cells and for what they may
/// start meanwhile, looked up once a second.
std::uint64_t process_limit(const LauncherState& state, const Limits& limits) {
  if (state.user != 0) return limits.processes + 1;
  constexpr std::uint64_t kRoom = 512;
  static Clock::time_point counted;
  static std::uint64_t tasks = 0;
  if (tasks == 0 || Clock::now() - counted > std::chrono::seconds(1)) {
    tasks = tasks_of_this_user();
    counted = Clock::now();
  }
  return tasks + kRoom + state.slots * limits.processes;
}

std::vector<LimitEntry> limit_entries(const LauncherState& state, const Limits& limits) {
  const auto cpu = std::chrono::ceil<std::chrono::seconds>(limits.cpu).count();
  std::vector<LimitEntry> entries{
      limit_entry(RLIMIT_CORE, 0),
      // The watch decides to the millisecond; this holds a single process where the watch is slow.
      limit_entry(RLIMIT_CPU, static_cast<std::uint64_t>(cpu) + 1),
      limit_entry(RLIMIT_NOFILE, limits.open_files),
      limit_entry(RLIMIT_FSIZE, limits.file_size_bytes),
      limit_entry(RLIMIT_MEMLOCK, 0),
      limit_entry(RLIMIT_MSGQUEUE, 0),
      limit_entry(RLIMIT_RTPRIO, 0),
      limit_entry(RLIMIT_NICE, 0),
      limit_entry(RLIMIT_SIGPENDING, 1024),
      // Threads get this much each by default, and it counts as data.
      limit_entry(RLIMIT_STACK, 8 * kMiB),
  };
  if (!guard_off(Guard::kMemoryLimit)) {
    // DATA, not AS: runtimes reserve address space that they never use. A quarter more than the
    // limit, so that the watch, which can name it, is normally the one to end the cell.
    entries.push_back(limit_entry(RLIMIT_DATA, limits.memory_bytes + limits.memory_bytes / 4));
  }
  if (!guard_off(Guard::kProcessLimit)) {
    entries.push_back(limit_entry(RLIMIT_NPROC, process_limit(state, limits)));
  }
  return entries;
}

/// Where the search path may find the command.
std::vector<std::string> candidates(const CellRequest& request) {
  const std::string& name = request.argv.front();
  if (name.find('/') != std::string::npos) return {name};
  std::vector<std::string> paths;
  for (const auto& variable : request.env) {
    if (!variable.starts_with("PATH=")) continue;
    for (const auto directory : split(std::string_view(variable).substr(5), ':')) {
      paths.push_back(std::string(directory.empty() ? "." : directory) + "/" + name);
    }
  }
  return paths;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (const auto& text : strings) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

/// The places of this one cell, and the workspace among them for the change of directory.
Result<std::vector<VisiblePlace>> open_own_places(const CellRequest& request) {
  std::vector<VisiblePlace> own;
  const auto add = [&](const std::string& path, FileAccess access) -> Result<void> {
    Fd fd = INSTAR_TRY(open_file(path, O_PATH | O_DIRECTORY | O_NOFOLLOW));
    own.push_back({.fd = std::move(fd), .access = access});
    return {};
  };
  INSTAR_CHECK(add(request.workspace,
                   request.workspace_read_only ? FileAccess::kReadExecute : FileAccess::kFull));
  for (const char* name : {"/home", "/tmp", "/out"}) {
    INSTAR_CHECK(add(request.cell + name, FileAccess::kFull));
  }
  return own;
}

CellEnd setup_failure(SetupStage stage, int error) {
  return {.failed = stage, .all_dead = true, .error = error};
}

/// Starts the command with everything in place.
Spawned start(const LauncherState& state, const CellRequest& request) {
  const auto own = open_own_places(request);
  if (!own) return {.failed = SetupStage::kWorkspace, .error = own.error().sys_errno};
  Fd ruleset;
  if (!guard_off(Guard::kLandlock)) {
    auto made = make_ruleset(state.landlock_abi, state.view, *own);
    if (!made) return {.failed = SetupStage::kLandlock, .error = made.error().sys_errno};
    ruleset = *std::move(made);
  }
  const auto argv = pointers(request.argv);
  const auto envp = pointers(request.env);
  const auto paths = candidates(request);
  std::vector<const char*> path_pointers;
  for (const auto& path : paths) path_pointers.push_back(path.c_str());
  const auto limits = limit_entries(state, request.limits);
  const sock_fprog program{.len = static_cast<unsigned short>(state.filter.size()),
                           .filter = const_cast<sock_filter*>(state.filter.data())};
  return spawn_cell({.argv = argv.data(),
                     .envp = envp.data(),
                     .candidates = path_pointers,
                     .out = request.out.get(),
                     .err = request.err.get(),
                     .workspace = own->front().fd.get(),
                     .ruleset = ruleset.get(),
                     .limits = limits,
                     .filter = guard_off(Guard::kSeccomp) ? nullptr : &program,
                     .user = guard_off(Guard::kUserDrop) ? 0 : state.user,
                     .group = state.group,
                     .close_descriptors = !guard_off(Guard::kCloseFds)});
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
    CellRequest ignored;
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

Supervised supervise(const LauncherState& state, const CellRequest& request) {
  const auto began = Clock::now();
  const TreeReaper reaper(state.user, state.group, state.child_event.get());
  Reaped reaped;
  auto looks = CellWatch::make(request, began);
  if (!looks) return {.end = setup_failure(SetupStage::kWorkspace, looks.error().sys_errno)};
  const Spawned spawned = start(state, request);
  if (spawned.failed != SetupStage::kNone) {
    if (spawned.pid > 0) reaper.end_all(spawned.pid, reaped, kPatience);
    return {.end = setup_failure(spawned.failed, spawned.error)};
  }

  Supervised done;
  LimitHit hit = watch(state, reaper, spawned.pid, *looks, reaped, done.engine_gone);
  const double wall_s = std::chrono::duration<double>(Clock::now() - began).count();
  const pid_t awaited = reaped.command_status ? -1 : spawned.pid;
  const bool all_dead = guard_off(Guard::kSweep) || reaper.end_all(awaited, reaped, kPatience);
  if (all_dead && !guard_off(Guard::kSweep)) reaped.cpu_s += looks->finish_cpu(reaped.cpu_s);
  if (hit == LimitHit::kNone) hit = judge_sums(request.limits, reaped);
  if (hit == LimitHit::kNone) hit = looks->final_look();
  done.end = {.hit = hit,
              .all_dead = all_dead,
              .status = reaped.command_status.value_or(SIGKILL),
              .wall_s = wall_s,
              .cpu_s = reaped.cpu_s,
              .peak_bytes = std::max(looks->peak_bytes(), reaped.largest_bytes)};
  return done;
}

}  // namespace instar::isolation
