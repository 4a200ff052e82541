#include "isolation/orphan_hunt.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/fd.h"
#include "isolation/process_tree.h"

namespace instar::isolation {

namespace {

/// Stops it first: from then on it cannot fork away from the look at its descendants.
void end_with_descendants(pid_t pid) {
  const Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!handle.valid() || parent_of(pid) != ::getpid()) return;
  ::syscall(SYS_pidfd_send_signal, handle.get(), SIGSTOP, nullptr, 0);
  kill_members(stop_tree(pid));
  ::syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0);
}

}  // namespace

Result<void> inherit_orphans() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0) return {};
  return fail(Error::system("cannot become a subreaper", errno));
}

bool end_orphans(std::chrono::milliseconds patience) {
  const unsigned own_filters = confinement_of(::getpid()).filters;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    bool found = false;
    for (const pid_t child : children_of(::getpid())) {
      const Confinement confinement = confinement_of(child);
      if (!confinement.no_new_privs || confinement.filters <= own_filters) continue;
      found = true;
      end_with_descendants(child);
      // By number, so that the end of no other child is taken from whoever waits for it.
      (void)::waitpid(child, nullptr, WNOHANG | __WALL);
    }
    if (!found) return true;
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::poll(nullptr, 0, 1);  // the dying need a moment
  }
}

}  // namespace instar::isolation
