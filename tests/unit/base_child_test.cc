#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "base/child.h"

namespace instar {
namespace {

/// A child that waits until it is killed.
Child sleeper() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (;;) ::pause();
  }
  return Child::adopt(pid).value();
}

Child exits_with(int code) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(code);
  return Child::adopt(pid).value();
}

bool exists(pid_t pid) { return ::kill(pid, 0) == 0 || errno != ESRCH; }

TEST(Child, TellsTheExitCode) {
  const ChildExit exit = exits_with(7).wait().value();
  EXPECT_EQ(exit.exit_code, 7);
  EXPECT_EQ(exit.signal, 0);
}

TEST(Child, SecondWaitIsAnErrorAndReapsNobodyElse) {
  Child first = exits_with(1);
  Child other = exits_with(2);
  ASSERT_TRUE(first.wait());
  EXPECT_FALSE(first.wait());
  Result<ChildExit> end = other.wait();
  ASSERT_TRUE(end) << "somebody else has reaped it";
  EXPECT_EQ(end->exit_code, 2);
}

TEST(Child, TellsTheSignal) {
  Child child = sleeper();
  child.signal(SIGTERM);
  const ChildExit exit = child.wait().value();
  EXPECT_EQ(exit.signal, SIGTERM);
  EXPECT_FALSE(exit.exit_code.has_value());
  EXPECT_FALSE(child.running());
}

TEST(Child, IsKilledAndReapedAtTheEndOfItsLife) {
  pid_t pid = -1;
  {
    const Child child = sleeper();
    pid = child.pid();
    ASSERT_TRUE(exists(pid));
  }
  EXPECT_FALSE(exists(pid));
}

TEST(Child, AssigningEndsTheOldChildAndKeepsTheNewOne) {
  Child first = sleeper();
  Child second = sleeper();
  const pid_t ended = first.pid();
  const pid_t kept = second.pid();
  first = std::move(second);
  EXPECT_FALSE(exists(ended));
  EXPECT_TRUE(exists(kept));
  EXPECT_EQ(first.pid(), kept);
}

TEST(Child, PidfdShowsTheEnd) {
  const Child child = exits_with(0);
  pollfd waiting{.fd = child.pidfd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&waiting, 1, 10'000), 1);
  child.signal(SIGKILL);  // of a child that has ended: no error, and no one else is hit
}

TEST(Child, AdoptOfAStrangerIsAnError) {
  // No process has this number: it is above the largest that the kernel gives.
  EXPECT_FALSE(Child::adopt(1 << 30));
}

}  // namespace
}  // namespace instar
