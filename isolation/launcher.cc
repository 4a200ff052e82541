#include "isolation/launcher.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

#include "base/files.h"
#include "isolation/become_user.h"
#include "isolation/capabilities.h"
#include "isolation/cell_namespaces.h"
#include "isolation/cell_root.h"
#include "isolation/guard_control.h"
#include "isolation/process_tree.h"
#include "isolation/supervisor.h"
#include "isolation/tree_reaper.h"
#include "isolation/workspace_protocol.h"

namespace instar::isolation {

namespace {

/// Closes every descriptor but those in `kept` and the three standard ones, which become
/// /dev/null: a launcher must not hold the engine's terminal, pipes or files open.
Result<void> close_all_but(std::vector<int> kept) {
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.valid()) return fail(Error::system("cannot open /dev/null", errno));
  for (const int standard : {0, 1, 2}) {
    if (::dup2(null.get(), standard) < 0) return fail(Error::system("cannot set a stream", errno));
  }
  std::sort(kept.begin(), kept.end());
  unsigned from = 3;
  for (const int fd : kept) {
    const auto at = static_cast<unsigned>(fd);
    if (at > from && ::syscall(SYS_close_range, from, at - 1, 0) != 0) {
      return fail(Error::system("cannot close descriptors", errno));
    }
    from = at + 1;
  }
  if (::syscall(SYS_close_range, from, ~0U, 0) != 0) {
    return fail(Error::system("cannot close descriptors", errno));
  }
  return {};
}

/// Default answers to every signal, and SIGCHLD as a descriptor.
Result<Fd> take_signals() {
  for (int signo = 1; signo < NSIG; ++signo) ::signal(signo, SIG_DFL);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  if (::sigprocmask(SIG_SETMASK, &child, nullptr) != 0) {
    return fail(Error::system("cannot block signals", errno));
  }
  Fd event(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!event.valid()) return fail(Error::system("cannot make a signalfd", errno));
  return event;
}

struct Inherited {
  Fd socket;
  Fd engine;
  pid_t engine_pid;
  uid_t user;
  gid_t user_group;
  int user_lock;
  int scratch_lock;
  unsigned slots;
  std::optional<std::filesystem::path> scratch;  ///< of a launcher of namespace cells
  const CellGroup* group;
};

FilterOptions filter_options(const LauncherState& state, std::vector<pid_t> shielded) {
  return {.refuse_truncate = state.landlock_abi < 3, .shielded = std::move(shielded)};
}

/// Where neither a user of its own nor Landlock keeps a cell's signals away: a filter that knows
/// the engine, its process group and all of its children. Made for the first cell, when the
/// launchers of every slot are there.
Result<void> shield_engine(LauncherState& state) {
  if (state.user != 0 || state.landlock_abi >= 6) return {};
  std::vector<pid_t> shielded = children_of(state.engine_pid);
  shielded.insert(shielded.end(),
                  {state.engine_pid, ::getpgid(state.engine_pid), ::getpid(), ::getppid()});
  std::sort(shielded.begin(), shielded.end());
  shielded.erase(std::unique(shielded.begin(), shielded.end()), shielded.end());
  std::erase_if(shielded, [](pid_t pid) { return pid <= 1; });
  state.filter = INSTAR_TRY(compile_filter(filter_options(state, std::move(shielded))));
  return {};
}

/// For guarded cells: as root, what is needed for changing to the slot's user, ending its processes
/// and looking at its files.
Result<void> stay(const Inherited& inherited) {
  // Nobody of the same user may trace this process or read its memory.
  if (::prctl(PR_SET_DUMPABLE, 0) != 0) return fail(Error::system("cannot shut tracing", errno));
  if (inherited.user == 0) return {};
  return keep_capabilities(1U << CAP_SETUID | 1U << CAP_SETGID | 1U << CAP_KILL |
                           1U << CAP_DAC_READ_SEARCH | 1U << CAP_SYS_PTRACE);
}

/// For namespace cells: from here on this process is the slot's user and sees nothing of the host
/// but what its cells see; what it may do, it may do in its own namespaces.
Result<void> separate(const Inherited& inherited, LauncherState& state) {
  if (inherited.user != 0 && !become_user(inherited.user, inherited.user_group)) {
    return fail(Error::system("cannot become the user of the cells", errno));
  }
  INSTAR_CHECK(enter_namespaces(inherited.socket.get()));
  INSTAR_CHECK(enter_cell_root(*inherited.scratch));
  state.in_namespaces = true;
  state.group = inherited.group;
  // Mounting, laying changes over a base, and what an overlay does with its layers.
  return keep_capabilities(1U << CAP_SYS_ADMIN | 1U << CAP_DAC_OVERRIDE |
                           1U << CAP_DAC_READ_SEARCH | 1U << CAP_CHOWN | 1U << CAP_FOWNER |
                           1U << CAP_FSETID | 1U << CAP_MKNOD | 1U << CAP_KILL);
}

/// A cell's first process is a copy of this one, and what the engine was called with is nobody's
/// business there.
void blank_command_line() {
  // proc(5): the command's name may hold spaces, and ends with the last parenthesis.
  const auto stat = read_file("/proc/self/stat", 4096);
  if (!stat) return;
  std::istringstream fields(stat->substr(stat->rfind(')') + 2));
  constexpr int kArgumentStart = 48;
  std::string skipped;
  for (int field = 3; field < kArgumentStart; ++field) fields >> skipped;
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
  if (!(fields >> start >> end) || start == 0 || end <= start) return;
  std::memset(std::bit_cast<void*>(start), 0, end - start);
}

Result<LauncherState> prepare(Inherited& inherited) {
  if (::setsid() < 0) return fail(Error::system("cannot start a session", errno));
  ::prctl(PR_SET_NAME, "instar-launcher");
  blank_command_line();
  ::clearenv();
  ::umask(077);
  std::vector<int> kept{inherited.socket.get(), inherited.engine.get(), inherited.scratch_lock};
  if (inherited.user_lock >= 0) kept.push_back(inherited.user_lock);
  if (inherited.group != nullptr) {
    for (const int file : inherited.group->descriptors()) kept.push_back(file);
  }
  if (!guard_off(Guard::kCloseFds)) INSTAR_CHECK(close_all_but(kept));

  LauncherState state;
  state.user = inherited.user;
  state.user_group = inherited.user_group;
  state.engine_pid = inherited.engine_pid;
  state.child_event = INSTAR_TRY(take_signals());
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    return fail(Error::system("cannot become a subreaper", errno));
  }
  // Cells start with an empty session keyring. Where keyrings are filtered out there is none.
  ::syscall(SYS_keyctl, 1 /* KEYCTL_JOIN_SESSION_KEYRING */, nullptr);
  if (inherited.user != 0) {
    // What a launcher that was killed left running. The lock says that nobody else is this user.
    if (!kill_all_of_user(inherited.user, inherited.user_group)) {
      return fail(ErrorCode::kHostCannot,
                  "cannot change to the cell's user " + std::to_string(inherited.user));
    }
    // A cell full of spinning processes must not slow down the one who ends it. Where root may not,
    // it only takes longer.
    ::setpriority(PRIO_PROCESS, 0, -20);
  }
  INSTAR_CHECK(inherited.scratch ? separate(inherited, state) : stay(inherited));
  state.landlock_abi = landlock_abi();
  if (guard_off(Guard::kSignalScope)) state.landlock_abi = std::min(state.landlock_abi, 5);
  state.view = INSTAR_TRY(state.in_namespaces ? open_root_view() : open_system_view());
  state.filter = INSTAR_TRY(compile_filter(filter_options(state, {})));
  state.slots = inherited.slots;
  state.socket = std::move(inherited.socket);
  state.engine = std::move(inherited.engine);
  return state;
}

/// Serves cells until the engine closes its end or dies.
void serve(LauncherState& state) {
  for (bool shielded = false;;) {
    std::array<pollfd, 2> events{pollfd{state.socket.get(), POLLIN, 0},
                                 pollfd{state.engine.get(), POLLIN, 0}};
    if (::poll(events.data(), events.size(), -1) < 0 && errno != EINTR) return;
    if (events[1].revents != 0) return;
    if (events[0].revents == 0) continue;
    LauncherMessage message;
    switch (receive(state.socket.get(), message)) {
      case Incoming::kClosed:
        return;
      case Incoming::kStop:
        continue;  // asked for a cell that has just ended
      case Incoming::kOrder:
        if (!serve_order(state.socket.get(), state.layers, message.order, message.changes.get())) {
          return;
        }
        continue;
      case Incoming::kRequest:
        break;
    }
    if (!shielded && !shield_engine(state)) return;
    shielded = true;
    const Supervised done = supervise(state, message.cell);
    if (done.engine_gone || !send_end(state.socket.get(), done.end, done.outputs.get())) return;
  }
}

/// Never returns: this is a copy of the engine that must not run any more of it.
[[noreturn]] void launcher_main(Inherited inherited) {
  const int socket = inherited.socket.get();
  auto state = prepare(inherited);
  if (!state) {
    const std::string& text = state.error().message;
    (void)::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    ::_exit(1);
  }
  constexpr char kReady = '\0';
  if (::send(socket, &kReady, 1, MSG_NOSIGNAL) == 1) serve(*state);
  // A launcher that left while something of its cell lives would set it free.
  const TreeReaper reaper = make_reaper(*state);
  Reaped ignored;
  while (!guard_off(Guard::kSweep) && !reaper.end_all(-1, ignored, std::chrono::seconds(1))) {
  }
  ::_exit(0);
}

ssize_t receive_text(int socket, std::span<char> into) {
  ssize_t got = -1;
  do {
    got = ::recv(socket, into.data(), into.size(), 0);
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

Result<Launcher> start_launcher(const LauncherOptions& options) {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    return fail(Error::system("cannot make the socket of a launcher", errno));
  }
  Fd ours(pair[0]);
  Fd theirs(pair[1]);
  const pid_t engine_pid = ::getpid();
  Fd engine(static_cast<int>(::syscall(SYS_pidfd_open, engine_pid, 0)));
  if (!engine.valid()) return fail(Error::system("cannot open a pidfd", errno));

  const pid_t pid = ::fork();
  if (pid < 0) return fail(Error::system("cannot fork a launcher", errno));
  if (pid == 0) {
    ours.reset();
    launcher_main({.socket = std::move(theirs),
                   .engine = std::move(engine),
                   .engine_pid = engine_pid,
                   .user = options.user.user,
                   .user_group = options.user.group,
                   .user_lock = options.user.lock.get(),
                   .scratch_lock = options.scratch_lock,
                   .slots = options.slots,
                   .scratch = options.scratch,
                   .group = options.group});
  }
  theirs.reset();
  Launcher launcher{.process = INSTAR_TRY(Child::adopt(pid)), .socket = std::move(ours)};
  std::array<char, 512> answer{};
  ssize_t got = receive_text(launcher.socket.get(), answer);
  if (got == 1 && answer[0] == kAskForIds) {
    const bool by_root = ::geteuid() == 0;
    INSTAR_CHECK(give_ids(pid,
                          {.user = by_root ? options.user.user : ::geteuid(),
                           .keeper = options.keeper,
                           .by_root = by_root},
                          launcher.socket.get()));
    got = receive_text(launcher.socket.get(), answer);
  }
  if (got == 1 && answer[0] == '\0') return launcher;
  return fail(ErrorCode::kHostCannot,
              got > 0 ? "cannot set up the launcher of the cells: " +
                            std::string(answer.data(), static_cast<std::size_t>(got))
                      : std::string("the launcher of the cells died while it started"),
              "`instar doctor` tries each thing that it needs");
}

}  // namespace instar::isolation
