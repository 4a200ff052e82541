#include "isolation/host_probes.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/fd.h"
#include "isolation/become_user.h"
#include "isolation/cell_provider.h"
#include "isolation/landlock.h"
#include "isolation/process_tree.h"
#include "isolation/seccomp_filter.h"
#include "isolation/slot_user.h"

namespace instar::isolation {

namespace {

/// Runs `trial` in a child, so that what it does to itself stays there. Its answer is an errno, 0
/// for success.
template <class Trial>
int in_child(Trial trial) {
  const pid_t pid = ::fork();
  if (pid < 0) return errno;
  if (pid == 0) ::_exit(trial() & 0xFF);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

Probe judged(std::string name, int error, std::string good, std::string fix,
             ProbeStatus bad = ProbeStatus::kFail) {
  if (error == 0) {
    return {.name = std::move(name),
            .status = ProbeStatus::kPass,
            .detail = std::move(good),
            .fix = {}};
  }
  return {.name = std::move(name),
          .status = bad,
          .detail = std::string("does not work: ") + std::strerror(error),
          .fix = std::move(fix)};
}

Probe probe_landlock() {
  const int abi = landlock_abi();
  const int error = in_child([abi] {
    if (abi == 0) return ENOSYS;
    const auto ruleset = make_ruleset(abi, {}, {});
    if (!ruleset) return ruleset.error().sys_errno;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::syscall(SYS_landlock_restrict_self, ruleset->get(), 0) != 0) {
      return errno;
    }
    // With no rule at all, nothing may be opened.
    return ::open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES ? 0 : EINVAL;
  });
  Probe probe = judged("Landlock", error, "ABI " + std::to_string(abi),
                       "boot Linux 5.13 or later with `landlock` in the kernel's lsm= list");
  if (error == 0 && abi < 6 && ::geteuid() != 0) {
    probe.status = ProbeStatus::kWarn;
    probe.detail += ": a cell can signal your other processes (the engine itself is shielded)";
    probe.fix = "boot Linux 6.12 or later, or run as root";
  }
  return probe;
}

Probe probe_seccomp() {
  const int error = in_child([] {
    const auto filter = compile_filter({});
    if (!filter) return filter.error().sys_errno != 0 ? filter.error().sys_errno : EINVAL;
    const sock_fprog program{.len = static_cast<unsigned short>(filter->size()),
                             .filter = const_cast<sock_filter*>(filter->data())};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) {
      return errno;
    }
    return ::socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EAFNOSUPPORT ? 0 : EINVAL;
  });
  return judged("seccomp", error, "the filter of a cell installs and refuses AF_INET",
                "boot a kernel with CONFIG_SECCOMP_FILTER; in a container, allow seccomp");
}

Probe probe_no_new_privs() {
  const int error = in_child([] {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : EINVAL;
  });
  return judged("no_new_privs", error, "set-id programs gain nothing", "boot Linux 3.5 or later");
}

Probe probe_user() {
  if (::geteuid() != 0) {
    return {
        .name = "own user",
        .status = ProbeStatus::kWarn,
        .detail = "not root: cells run as your user, whose files are kept away by Landlock alone",
        .fix = "run as root, which gives each slot a user of its own"};
  }
  const auto users = take_slot_users(1);
  if (!users) {
    return {.name = "own user",
            .status = ProbeStatus::kFail,
            .detail = users.error().message,
            .fix = users.error().hint};
  }
  const uid_t user = users->front().user;
  const int error = in_child([user] {
    if (!become_user(user, user)) return errno;
    return ::setuid(0) != 0 ? 0 : EINVAL;
  });
  return judged("own user", error, "cells run as user " + std::to_string(user),
                "in a container, grant CAP_SETUID and CAP_SETGID");
}

Probe probe_pidfd() {
  const Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  return judged("pidfd", handle.valid() ? 0 : errno, "processes can be held by descriptor",
                "boot Linux 5.3 or later");
}

Probe probe_openat2() {
  const Fd usr(::open("/usr", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const open_how how{.flags = O_RDONLY | O_CLOEXEC, .mode = 0, .resolve = RESOLVE_BENEATH};
  const Fd escaped(
      static_cast<int>(::syscall(SYS_openat2, usr.get(), "../etc/passwd", &how, sizeof how)));
  int error = 0;
  if (escaped.valid()) {
    error = EINVAL;
  } else if (errno != EXDEV) {
    error = errno;
  }
  return judged("openat2", error, "paths that leave a directory are refused",
                "boot Linux 5.6 or later; in a container, update its seccomp profile");
}

Probe probe_close_range() {
  const int error = in_child([] {
    const int fd = ::dup(STDIN_FILENO);
    if (::syscall(SYS_close_range, 3, ~0U, 0) != 0) return errno;
    return fd < 3 || ::fcntl(fd, F_GETFD) < 0 ? 0 : EINVAL;
  });
  return judged("close_range", error, "inherited descriptors can be closed in one call",
                "boot Linux 5.9 or later");
}

/// A process whose parent is gone must land on the subreaper.
Probe probe_subreaper() {
  const int error = in_child([] {
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return errno;
    const pid_t middle = ::fork();
    if (middle < 0) return errno;
    if (middle == 0) {
      if (::fork() == 0) ::pause();  // ended below, as an orphan
      ::_exit(0);
    }
    ::waitpid(middle, nullptr, 0);
    const TreeSample orphans = sample_tree(::getpid());
    for (const pid_t pid : orphans.pids) ::kill(pid, SIGKILL);
    return orphans.pids.size() == 1 && ::waitpid(-1, nullptr, 0) > 0 ? 0 : EINVAL;
  });
  return judged("subreaper", error, "daemons of a cell cannot get away", "boot Linux 3.4 or later");
}

Probe probe_reflink() {
  // Without names, so that nothing is left behind whatever happens to us.
  std::error_code none;  // then the directory cannot be opened, which is the answer
  const auto place = std::filesystem::temp_directory_path(none);
  const Fd from(::open(place.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const Fd to(::open(place.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const bool shared =
      ::write(from.get(), "x", 1) == 1 && ::ioctl(to.get(), FICLONE, from.get()) == 0;
  const int error = shared ? 0 : errno;
  return judged("reflink", error, "workspaces share blocks with their base",
                "harmless: workspaces are copied; set TMPDIR to a btrfs or xfs directory for large "
                "targets",
                ProbeStatus::kWarn);
}

Probe probe_cgroups() {
  const bool v2 = ::access("/sys/fs/cgroup/cgroup.controllers", R_OK) == 0;
  const bool v1 = ::access("/sys/fs/cgroup/memory", R_OK) == 0;
  if (!v1 && !v2) {
    return {.name = "cgroups",
            .status = ProbeStatus::kWarn,
            .detail = "no memory cgroup is visible; guarded cells do not use one",
            .fix = "mount cgroup2 on /sys/fs/cgroup"};
  }
  return {.name = "cgroups",
          .status = ProbeStatus::kPass,
          .detail = std::string(v2 ? "version 2" : "version 1") +
                    " is there; guarded cells do not use it, namespace cells use version 1 as root",
          .fix = {}};
}

Probe probe_user_namespaces() {
  const int error = in_child([] { return ::unshare(CLONE_NEWUSER) == 0 ? 0 : errno; });
  return judged(
      "user namespaces", error, "are there; namespace cells are made in them",
      "sysctl -w user.max_user_namespaces=10000; where AppArmor restricts them: sysctl -w "
      "kernel.apparmor_restrict_unprivileged_userns=0",
      ProbeStatus::kWarn);
}

/// Runs a whole cell. `otherwise`: what a failure means for this host.
Probe probe_cell(Level level, ProbeStatus otherwise) {
  const std::string name = std::string(to_string(level)) + " cell";
  const auto failed = [&](const Error& error) {
    return Probe{.name = name,
                 .status = otherwise,
                 .detail = error.message,
                 .fix = error.hint.empty() ? "mend what failed above" : error.hint};
  };
  const auto provider = make_cell_provider({.level = level, .scratch = {}});
  if (!provider) return failed(provider.error());
  const auto workspace = (*provider)->open_workspace({});
  if (!workspace) return failed(workspace.error());
  CellSpec spec;
  spec.argv = {"true"};
  const auto report = (*provider)->run(spec, **workspace, {});
  if (!report) return failed(report.error());
  if (report->exit_code != 0) {
    return failed({.code = ErrorCode::kInternal, .message = report->reason, .hint = {}});
  }
  return {
      .name = name,
      .status = ProbeStatus::kPass,
      .detail = "a command ran in one and everything of it is gone; memory of the whole cell by " +
                report->enforced.at("memory"),
      .fix = {}};
}

}  // namespace

std::string_view to_string(ProbeStatus status) {
  switch (status) {
    case ProbeStatus::kPass:
      return "PASS";
    case ProbeStatus::kWarn:
      return "WARN";
    case ProbeStatus::kFail:
      break;
  }
  return "FAIL";
}

std::vector<Probe> probe_host() {
  return {probe_landlock(),
          probe_seccomp(),
          probe_no_new_privs(),
          probe_user(),
          probe_pidfd(),
          probe_openat2(),
          probe_close_range(),
          probe_subreaper(),
          probe_reflink(),
          probe_cgroups(),
          probe_user_namespaces(),
          probe_cell(Level::kNamespace, ProbeStatus::kWarn),
          probe_cell(Level::kGuarded, ProbeStatus::kFail)};
}

std::vector<std::string> not_stopped_by_guarded() {
  std::vector<std::string> open{
      "side channels: timing, caches, load",
      "bugs of the kernel in what the filter lets through",
      ("stat, statvfs, readlink, listxattr, chdir and opening as a mere place (O_PATH) on any path "
       "that the user may pass: whether a name is there, and sizes, times, modes, attribute names "
       "and link targets of files that cannot be opened"),
      ("reading everything below /usr, /bin, /sbin and /lib*, and locks (flock) on what "
       "can be read"),
      ("new times (utime) for files and directories of the host that anybody may write, "
       "such as /tmp, and user attributes on such files"),
      ("memory that no process maps at the moment of a look (unmapped shared pages, pipe "
       "and socket buffers): the limit is a watch, not a cgroup"),
      ("memory of the kernel other than page tables: what it keeps for each mapping, thread, open "
       "file and pipe"),
      ("memory and files between two looks: 10 to 50 ms for memory, 100 to 250 ms for "
       "files, and the time that a look takes"),
      ("bytes of files that were unlinked while open: the workspace limit is a watch over "
       "names"),
      ("CPU time of processes that their parent never waited for: what they use after the "
       "last look at them, and all of one that lives between two looks"),
  };
  if (::geteuid() != 0) {
    open.emplace_back(
        "chmod, utime and xattr on other files of your user whose names a command knows or "
        "guesses: it can shut directories of yours, that of the run among them, and so "
        "disturb cells that run beside it (the names of other workspaces are random and "
        "cannot be listed)");
    open.emplace_back("more processes than the limit for some milliseconds: it is a watch");
    if (landlock_abi() < 6) {
      open.emplace_back("signals to your other processes (not to the engine and its launchers)");
    }
  }
  return open;
}

}  // namespace instar::isolation
