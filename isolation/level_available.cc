#include "isolation/level_available.h"

#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "isolation/landlock.h"

namespace instar::isolation {

namespace {

/// Asks whether the action exists, which needs no privilege and installs nothing.
bool has_seccomp() {
  const std::uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/// Tries it for real, in a child: 0, or the errno. As root too, since the launchers are not root.
int try_namespaces() {
  const pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) {
    constexpr int kFlags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS |
                           CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWCGROUP;
    ::_exit(::unshare(kFlags) == 0 ? 0 : errno);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

}  // namespace

Availability level_available() {
  if (landlock_abi() == 0) {
    return {.level = {},
            .reason = "this kernel has no Landlock, or it is not switched on",
            .fix = "boot Linux 5.13 or later with CONFIG_SECURITY_LANDLOCK and `landlock` in lsm="};
  }
  if (!has_seccomp()) {
    return {.level = {},
            .reason = "this kernel has no seccomp filters",
            .fix = "boot a kernel with CONFIG_SECCOMP_FILTER"};
  }
  if (const int error = try_namespaces(); error != 0) {
    const Error refused = Error::system("this host makes no user namespaces", error);
    return {
        .level = Level::kGuarded,
        .reason = refused.message,
        .fix =
            "allow user namespaces (sysctl user.max_user_namespaces, and where they are there "
            "kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0)"};
  }
  return {.level = Level::kNamespace,
          .reason = "this build makes no container cells",
          .fix = "lower what requires more in safety.yaml (level, trust), if that is acceptable"};
}

Result<void> require_level(Level required) {
  const Availability available = level_available();
  if (available.level && *available.level >= required) return {};
  return fail(ErrorCode::kHostCannot,
              "required isolation level " + std::string(to_string(required)) + ", available " +
                  (available.level ? std::string(to_string(*available.level)) : "none") + ": " +
                  available.reason,
              available.fix);
}

}  // namespace instar::isolation
