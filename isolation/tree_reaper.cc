#include "isolation/tree_reaper.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/child.h"
#include "isolation/become_user.h"
#include "isolation/guard_control.h"
#include "isolation/process_tree.h"

namespace instar::isolation {

namespace {

using Clock = std::chrono::steady_clock;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Kills the process groups of the descendants: one call reaches a whole group, and no fork in it
/// slips past. A bomb that leaves its group is left for `stop_tree`.
void kill_groups(pid_t root) {
  for (const pid_t group : sample_tree(root).groups) {
    if (group > 1 && group != ::getpgrp()) ::kill(-group, SIGKILL);
  }
}

}  // namespace

bool kill_all_of_user(uid_t user, gid_t group) {
  if (user == 0) return false;
  const pid_t killer = ::fork();
  if (killer < 0) return false;
  if (killer == 0) {
    if (!become_user(user, group)) ::_exit(1);
    const bool killed = ::kill(-1, SIGKILL) == 0 || errno == ESRCH;
    ::_exit(killed ? 0 : 1);
  }
  auto held = Child::adopt(killer);
  if (!held) return false;
  // For a moment it is of the same user as those it kills, and one of them may stop it: its end is
  // never waited for without a bound. Leaving here kills and reaps it.
  constexpr int kPatienceMs = 500;
  pollfd ended{.fd = held->pidfd(), .events = POLLIN, .revents = 0};
  while (::poll(&ended, 1, kPatienceMs) < 0) {
    if (errno != EINTR) return false;
  }
  if (ended.revents == 0) return false;
  const auto exit = held->wait();
  return exit && exit->exit_code == 0;
}

bool TreeReaper::reap(pid_t command, Reaped& reaped) const {
  signalfd_siginfo events[8];
  while (::read(child_event_, events, sizeof events) > 0) {
  }
  for (;;) {
    int status = 0;
    struct rusage usage {};
    // __WALL: a child may have been cloned with an exit signal other than SIGCHLD.
    const pid_t pid = ::wait4(-1, &status, WNOHANG | __WALL, &usage);
    if (pid == 0) return true;
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) return false;
    reaped.cpu_s += seconds(usage.ru_utime) + seconds(usage.ru_stime);
    reaped.largest_bytes =
        std::max(reaped.largest_bytes, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
    // Once it is reaped its number is free, and the command's children can come by it: the first
    // end is the command's.
    if (pid == command && !reaped.command_status) reaped.command_status = status;
  }
}

void TreeReaper::kill_once() const {
  if (reach_ == Reach::kChildren) {
    for (const pid_t child : children_of(::getpid())) ::kill(child, SIGKILL);
    return;
  }
  // A hostile process can kill the killer, which is of its own user for a moment: then, and where
  // there is no such user, the descendants are hunted one by one.
  if (reach_ == Reach::kUser && !guard_off(Guard::kUserDrop) && kill_all_of_user(user_, group_))
    return;
  kill_groups(::getpid());
  kill_members(stop_tree(::getpid()));
}

bool TreeReaper::end_all(pid_t command, Reaped& reaped, std::chrono::milliseconds patience) const {
  const auto deadline = Clock::now() + patience;
  while (reap(command, reaped)) {
    if (Clock::now() > deadline) return false;
    kill_once();
    // The dead announce themselves; the short limit is for one that was forked meanwhile.
    pollfd event{.fd = child_event_, .events = POLLIN, .revents = 0};
    if (reap(command, reaped)) ::poll(&event, 1, 5);
  }
  return true;
}

}  // namespace instar::isolation
