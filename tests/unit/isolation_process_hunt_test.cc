#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/child.h"
#include "isolation/slot_user.h"
#include "isolation/tree_reaper.h"
#include "tests/support/cell_harness.h"
#include "tests/support/process_marks.h"

/// The end of a cell kills everything of the cell, and nothing else.

namespace instar::isolation {
namespace {

/// A process of the test that does nothing, as `user` where that is not 0.
Child bystander(uid_t user = 0) {
  int ready[2];
  EXPECT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (user != 0 && ::setresuid(user, user, user) != 0) ::_exit(1);
    (void)!::write(ready[1], "x", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::close(ready[1]);
  return Child::adopt(pid).value();
}

bool is_alive(const Child& child, int patience_ms = 0) {
  pollfd ended{.fd = child.pidfd(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, patience_ms) == 0;
}

constexpr int kPatience = 20'000;

/// A command that leaves daemons: `chains` of processes, each of which begins a session, forks the
/// next and ends, `generations` long; the last of each sleeps. All ends within itself: at most
/// chains * generations processes are ever made. Only the sleepers have the mark as a whole.
std::string storm(int chains, int generations, const std::string& mark) {
  return "import os\n"
         "for _ in range(" +
         std::to_string(chains) +
         "):\n"
         "    if os.fork(): continue\n"
         "    for _ in range(" +
         std::to_string(generations - 1) +
         "):\n"
         "        os.setsid()\n"
         "        if os.fork(): os._exit(0)\n"
         "    for fd in range(3): os.close(fd)\n"
         "    os.execv('/bin/sleep', ['sleep', '" +
         mark.substr(0, 4) + "' '" + mark.substr(4) +
         "'])\n"
         "os._exit(0)\n";
}

TEST(ProcessHunt, EndsAStormOfSessions) {
  as_each_user([] {
    const std::string mark = unique_sleep();
    CellHarness cell;
    for (int round = 0; round < 3; ++round) {
      const CellReport report = cell.python(storm(20, 5, mark));
      EXPECT_EQ(report.exit_code, 0) << report.reason << report.err.head;
      EXPECT_TRUE(find_by_mark(mark).empty());
    }
    EXPECT_EQ(cell.sh("echo usable").out.head, "usable\n");
  });
}

TEST(ProcessHunt, EndsAStormThatAllSleepsAtOnce) {
  as_each_user([] {
    const std::string mark = unique_sleep();
    CellHarness cell;
    const CellReport report = cell.python(storm(45, 2, mark));
    EXPECT_EQ(report.exit_code, 0) << report.reason << report.err.head;
    EXPECT_TRUE(find_by_mark(mark).empty());
  });
}

TEST(ProcessHunt, AStormLivesOnWithoutTheSweep) {
  as_each_user([] {
    const std::string mark = unique_sleep();
    CellHarness unswept({}, {Guard::kSweep});
    // It waits until its daemons are there, so that they can be counted.
    const CellReport report = unswept.python(storm(4, 2, mark));
    EXPECT_EQ(report.exit_code, 0) << report.err.head;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (find_by_mark(mark).size() < 4 && std::chrono::steady_clock::now() < until) {
    }
    const auto left = find_by_mark(mark);
    EXPECT_EQ(left.size(), 4U);
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
  });
}

TEST(ProcessHunt, SparesTheChildrenOfTheEngine) {
  as_each_user([] {
    const Child before = bystander();
    CellHarness cell;
    const Child after = bystander();
    const std::string mark = unique_sleep();
    EXPECT_EQ(cell.python(storm(5, 3, mark)).exit_code, 0);
    EXPECT_TRUE(find_by_mark(mark).empty());
    EXPECT_TRUE(is_alive(before));
    EXPECT_TRUE(is_alive(after));
  });
}

TEST(ProcessHunt, SparesAStrangerWhoHasTheUserOfASlot) {
  if (::geteuid() != 0) return;  // a slot has no user of its own
  auto held = take_slot_users(1).value();
  const uid_t next = held.front().user;
  const Child stranger = bystander(next);
  held.clear();  // from here on it is the first one that an engine would take
  CellHarness cell;
  const CellReport report = cell.sh("id -u; setsid sleep 100 & exit 0");
  EXPECT_NE(report.out.head, std::to_string(next) + "\n");
  EXPECT_TRUE(is_alive(stranger));
  // The control: by its user alone it would have been found.
  EXPECT_TRUE(kill_all_of_user(next, next));
  EXPECT_FALSE(is_alive(stranger, kPatience));
}

/// A child that exits with `code` and has the number `wanted`; 0: that number is not free.
pid_t child_with_number(pid_t wanted, int code) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::ofstream("/proc/sys/kernel/ns_last_pid") << wanted - 1 << std::flush;
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(code);
    if (pid == wanted) return pid;
    ::waitpid(pid, nullptr, 0);  // somebody else forked meanwhile
  }
  return 0;
}

/// Waits for a child to end and leaves it to be reaped.
void await_end(pid_t pid) {
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
}

TEST(ProcessHunt, AUsedNumberDoesNotChangeHowTheCommandEnded) {
  if (::geteuid() != 0) return;  // numbers cannot be chosen
  // In a child of its own, since it reaps whatever child there is.
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    ::alarm(60);
    const TreeReaper reaper(TreeReaper::Reach::kTree, 0, 0, -1);
    const pid_t command = ::fork();
    if (command == 0) ::_exit(7);
    await_end(command);
    Reaped reaped;
    reaper.reap(command, reaped);
    const pid_t second = child_with_number(command, 0);
    if (second == 0) ::_exit(2);
    await_end(second);
    reaper.reap(command, reaped);
    ::_exit(reaped.command_status && WEXITSTATUS(*reaped.command_status) == 7 ? 0 : 1);
  }
  const auto ended = Child::adopt(launcher).value().wait();
  ASSERT_TRUE(ended);
  if (ended->exit_code == 2) GTEST_SKIP() << "the number is not given again here";
  EXPECT_EQ(ended->exit_code, 0);
}

/// What comes of taking a user where /proc is replaced by what `lay` puts there. 0: refused as it
/// should be.
int take_with_proc(const std::function<void()>& lay) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::alarm(60);
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", "/proc", "tmpfs", 0, nullptr) != 0) {
      ::_exit(2);
    }
    std::filesystem::create_directory("/proc/self");
    std::ofstream("/proc/self/uid_map") << "0 0 4294967295\n";
    std::ofstream("/proc/self/gid_map") << "0 0 4294967295\n";
    lay();
    const auto users = take_slot_users(1);
    const bool refused = !users && users.error().code == ErrorCode::kHostCannot &&
                         users.error().message.starts_with("cannot tell which users");
    ::_exit(refused ? 0 : 1);
  }
  return Child::adopt(pid).value().wait().value().exit_code.value_or(-1);
}

TEST(ProcessHunt, TakesNoUserWhereItCannotSeeWhoLives) {
  if (::geteuid() != 0) return;
  const int empty = take_with_proc([] {});
  if (empty == 2) GTEST_SKIP() << "/proc cannot be replaced here";
  EXPECT_EQ(empty, 0);
  EXPECT_EQ(take_with_proc([] {
              std::filesystem::create_directory("/proc/1");
              std::ofstream("/proc/1/status") << "Uid:\t0\t0\t0\t0\n";
              std::filesystem::create_directories("/proc/2/status");  // there, and cannot be read
            }),
            0);
}

TEST(ProcessHunt, FindsWhatACrashLeftOfACell) {
  if (::geteuid() != 0) return;
  uid_t user = 0;
  {
    const auto users = take_slot_users(1).value();
    user = users.front().user;
    ASSERT_TRUE(users.front().mark_used());  // and never taken back
  }
  const Child leftover = bystander(user);
  // The first one takes it, unless another engine on this host did before.
  CellHarness cell;
  EXPECT_EQ(cell.sh("exit 0").exit_code, 0);
  EXPECT_FALSE(is_alive(leftover, kPatience));
}

}  // namespace
}  // namespace instar::isolation
