#include "isolation/become_user.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace instar::isolation {

bool become_user(uid_t user, gid_t group) {
  uid_t real = 0;
  uid_t effective = 0;
  uid_t saved = 0;
  if (::syscall(SYS_setgroups, 0, nullptr) != 0 ||
      ::syscall(SYS_setresgid, group, group, group) != 0 ||
      ::syscall(SYS_setresuid, user, user, user) != 0 ||
      ::syscall(SYS_getresuid, &real, &effective, &saved) != 0) {
    return false;
  }
  // With one id of 0 left, a broadcast signal would reach root's processes.
  errno = EPERM;
  return real == user && effective == user && saved == user;
}

}  // namespace instar::isolation
