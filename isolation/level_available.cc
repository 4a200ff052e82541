#include "isolation/level_available.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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
  return {.level = Level::kGuarded,
          .reason = "this build makes guarded cells only",
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
