#include "isolation/cell_namespaces.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/fd.h"
#include "isolation/cell_root.h"

namespace instar::isolation {

namespace {

constexpr const char* kNestingLimit = "/proc/sys/user/max_user_namespaces";

Result<void> write_proc(const std::string& path, const std::string& text) {
  const Fd file = INSTAR_TRY(open_file(path, O_WRONLY));
  return write_all(file.get(), text, path);
}

Error cannot_separate(int error) {
  Error told = Error::system("cannot make a user namespace", error);
  told.code = ErrorCode::kHostCannot;
  told.hint =
      error == ENOSPC || error == EUSERS
          ? "raise the sysctl user.max_user_namespaces"
          : "allow them: sysctl kernel.unprivileged_userns_clone=1 and "
            "kernel.apparmor_restrict_unprivileged_userns=0, and no seccomp profile against "
            "unshare where this runs in a container; or run as root";
  return told;
}

Result<void> ask_for_ids(int socket) {
  char answer = 0;
  ssize_t got = -1;
  if (::send(socket, &kAskForIds, 1, MSG_NOSIGNAL) == 1) {
    do {
      got = ::recv(socket, &answer, 1, 0);
    } while (got < 0 && errno == EINTR);
  }
  if (got == 1 && answer == kAskForIds) return {};
  return fail(ErrorCode::kHostCannot, "the ids of the cells' user namespace could not be set");
}

}  // namespace

Result<void> enter_namespaces(int socket) {
  constexpr int kFlags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS;
  if (::unshare(kFlags) != 0) return fail(cannot_separate(errno));
  // Until the ids are there, so that whoever starts this may write them as an ordinary user too.
  ::prctl(PR_SET_DUMPABLE, 1);
  auto given = ask_for_ids(socket);
  // Before anything else is in here: nobody of the same user may trace this process or read its
  // memory.
  if (::prctl(PR_SET_DUMPABLE, 0) != 0) return fail(Error::system("cannot shut tracing", errno));
  INSTAR_CHECK(given);
  INSTAR_CHECK(write_proc(kNestingLimit, "0"));
  constexpr std::string_view kHostName = "cell";
  if (::sethostname(kHostName.data(), kHostName.size()) != 0 || ::setdomainname("", 0) != 0) {
    return fail(Error::system("cannot set the host name of the cells", errno));
  }
  return {};
}

Result<void> give_ids(pid_t process, const IdMap& ids, int socket) {
  const std::string directory = "/proc/" + std::to_string(process);
  std::string map = std::to_string(kInsideUser) + " " + std::to_string(ids.user) + " 1\n";
  if (ids.keeper != 0) {
    map += std::to_string(kInsideKeeper) + " " + std::to_string(ids.keeper) + " 1\n";
  }
  // The kernel's condition for whoever maps their own group without being root.
  if (!ids.by_root) INSTAR_CHECK(write_proc(directory + "/setgroups", "deny"));
  INSTAR_CHECK(write_proc(directory + "/uid_map", map));
  if (!ids.by_root) {
    map = std::to_string(kInsideUser) + " " + std::to_string(::getegid()) + " 1\n";
  }
  INSTAR_CHECK(write_proc(directory + "/gid_map", map));
  if (::send(socket, &kAskForIds, 1, MSG_NOSIGNAL) == 1) return {};
  return fail(Error::system("cannot reach the launcher of the cells", errno));
}

}  // namespace instar::isolation
