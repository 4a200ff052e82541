#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/child.h"
#include "isolation/launcher.h"
#include "isolation/process_tree.h"
#include "isolation/seccomp_filter.h"
#include "tests/support/cell_harness.h"
#include "tests/support/process_marks.h"

/// What a cell can do to processes that are not its own, the launcher among them, and what happens
/// to the cell when somebody takes its launcher away.

namespace instar::isolation {
namespace {

using namespace std::chrono_literals;

/// A process of the test's own user that does nothing.
Child bystander() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (;;) ::pause();
  }
  return Child::adopt(pid).value();
}

/// Tries each way to steer process `argv[1]`, and prints the names of those that worked.
constexpr const char* kSteer =
    "import ctypes, os, sys\n"
    "libc = ctypes.CDLL(None, use_errno=True)\n"
    "pid = int(sys.argv[1]) if sys.argv[1] != 'parent' else os.getppid()\n"
    "limit = (ctypes.c_ulong * 2)(64, 64)\n"
    "null = ctypes.c_void_p()\n"
    "mask = ctypes.c_ulong(1)\n"
    "param = ctypes.c_int(0)\n"
    "attr = (ctypes.c_uint * 12)(48, 3)\n"
    "node = ctypes.c_ulong(1)\n"
    "calls = {\n"
    "  'prlimit64': (302, pid, 7, limit, null),\n"
    "  'sched_setaffinity': (203, pid, 8, ctypes.byref(mask)),\n"
    "  'sched_setscheduler': (144, pid, 3, ctypes.byref(param)),\n"
    "  'sched_setparam': (142, pid, ctypes.byref(param)),\n"
    "  'sched_setattr': (314, pid, attr, 0),\n"
    "  'setpriority': (141, 0, pid, 19),\n"
    "  'setpriority of the user': (141, 2, 0, 19),\n"
    "  'ioprio_set': (251, 1, pid, 3 << 13),\n"
    "  'ioprio_set of the user': (251, 3, 0, 3 << 13),\n"
    "  'migrate_pages': (256, pid, 2, ctypes.byref(node), ctypes.byref(node)),\n"
    "  'move_pages': (279, pid, 0, null, null, null, 0)}\n"
    "print(*[name for name, call in calls.items() if libc.syscall(*call) >= 0], sep=',')\n";

CellReport steer(CellHarness& cell, const std::string& target) {
  return cell.command({"/usr/bin/python3", "-S", "-c", kSteer, target});
}

TEST(OtherProcesses, ACellSteersNoneButItsOwn) {
#ifndef __x86_64__
  GTEST_SKIP() << "the numbers are those of x86-64";
#endif
  as_each_user([] {
    const Child other = bystander();
    CellHarness cell;
    EXPECT_EQ(steer(cell, std::to_string(other.pid())).out.head, "\n");
    EXPECT_EQ(steer(cell, "parent").out.head, "\n");
    rlimit limit{};
    EXPECT_EQ(::prlimit(other.pid(), RLIMIT_NOFILE, nullptr, &limit), 0);
    EXPECT_NE(limit.rlim_cur, 64U);
  });
  // The control: an ordinary user's processes are all the same to the kernel.
  as_ordinary_user([] {
    const Child other = bystander();
    CellHarness open({}, {Guard::kSeccomp});
    const std::string worked = steer(open, std::to_string(other.pid())).out.head;
    EXPECT_TRUE(worked.starts_with(
        "prlimit64,sched_setaffinity,sched_setscheduler,sched_setparam,sched_setattr,setpriority,"
        "setpriority of the user,ioprio_set"))
        << worked;
    rlimit limit{};
    EXPECT_EQ(::prlimit(other.pid(), RLIMIT_NOFILE, nullptr, &limit), 0);
    EXPECT_EQ(limit.rlim_cur, 64U);
  });
}

TEST(OtherProcesses, ItsOwnLimitsAndPriorityStayItsOwnBusiness) {
  as_each_user([] {
    const CellReport report = CellHarness().python(
        "import os, resource\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))\n"
        "print(resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE))\n"
        "os.sched_setaffinity(0, os.sched_getaffinity(0))\n"
        "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))\n"
        "os.nice(1); os.setpriority(os.PRIO_PROCESS, 0, 5)\n"
        "os.setpriority(os.PRIO_PGRP, 0, 6); print(os.getpriority(os.PRIO_PROCESS, 0))\n");
    EXPECT_EQ(report.out.head, "(32, 32)\n6\n") << report.err.head;
  });
}

TEST(OtherProcesses, NoDescriptorSendsSignalsToThem) {
  constexpr const char* kProbe =
      "import fcntl, os, signal, socket, struct\n"
      "a, b = socket.socketpair()\n"
      "def worked(f, *args):\n"
      "    try: f(a.fileno(), *args); return 'ok'\n"
      "    except OSError as e: return e.strerror\n"
      "print(worked(fcntl.fcntl, fcntl.F_SETOWN, os.getpid()),\n"
      "      worked(fcntl.fcntl, 15, struct.pack('ii', 1, os.getpid())),\n"
      "      worked(fcntl.ioctl, 0x8901, struct.pack('i', os.getpid())),\n"
      "      worked(fcntl.ioctl, 0x8902, struct.pack('i', os.getpid())), sep=',')\n";
  constexpr const char* kRefused = "Operation not permitted";
  const std::string all = std::string(kRefused) + "," + kRefused + "," + kRefused + "," + kRefused;
  EXPECT_EQ(CellHarness().python(kProbe).out.head, all + "\n");
  EXPECT_EQ(CellHarness({}, {Guard::kSeccomp}).python(kProbe).out.head, "ok,ok,ok,ok\n");
}

/// Which of the ways to signal `target` work under the filter, in a child of the test.
std::string ways_to_signal(pid_t target, std::vector<pid_t> shielded) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  const auto filter = compile_filter({.shielded = std::move(shielded)}).value();
  const pid_t pid = ::fork();
  if (pid == 0) {
    const sock_fprog program{.len = static_cast<unsigned short>(filter.size()),
                             .filter = const_cast<sock_filter*>(filter.data())};
    const bool confined = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                          ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
    std::string worked;
    const auto note = [&](const char* name, long result) {
      if (result >= 0) worked += name;
    };
    note("kill ", ::kill(target, 0));
    note("group ", ::kill(-target, 0));
    note("tgkill ", ::syscall(SYS_tgkill, target, target, 0));
    note("tkill ", ::syscall(SYS_tkill, target, 0));
    note("pidfd ", ::syscall(SYS_pidfd_open, target, 0));
    note("upper bits ", ::syscall(SYS_kill, 0x100000000L + target, 0));
    if (confined) (void)!::write(ends[1], worked.data(), worked.size());
    ::_exit(0);
  }
  writer.reset();
  std::array<char, 256> text{};
  const ssize_t got = ::read(reader.get(), text.data(), text.size());
  ::waitpid(pid, nullptr, 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

TEST(OtherProcesses, AShieldedProcessIsOutOfReachOfSignals) {
  const Child other = bystander();
  ASSERT_EQ(::setpgid(other.pid(), 0), 0);  // leader of its group, as a launcher is
  EXPECT_EQ(ways_to_signal(other.pid(), {other.pid()}), "");
  EXPECT_EQ(ways_to_signal(other.pid(), {}), "kill group tgkill tkill pidfd upper bits ");
}

TEST(OtherProcesses, WithoutAScopeTheEngineAndEveryLauncherAreShielded) {
  as_ordinary_user([] {
    const TempDir place = TempDir::create("cell-shield").value();
    const Child other = bystander();
    set_guard_off(Guard::kSignalScope, true);
    const auto cells = make_cell_provider({.slots = 2, .scratch = place.path()}).value();
    set_guard_off(Guard::kSignalScope, false);
    const Child later = bystander();

    std::string tries = "reached() { kill -0 $1 2>/dev/null && echo $2; }\n";
    const auto shielded = children_of(::getpid());
    EXPECT_GE(shielded.size(), 4U);
    for (const pid_t pid : shielded) {
      tries += "reached " + std::to_string(pid) + " child\n";
      tries += "reached -" + std::to_string(pid) + " session\n";
    }
    tries += "reached " + std::to_string(::getpid()) + " engine\n";
    tries += "reached -" + std::to_string(::getpgrp()) + " group\nreached -1 everybody\n";
    const auto workspace = cells->open_workspace({}).value();
    CellSpec spec;
    spec.argv = {"sh", "-c", tries + "reached $$ itself"};
    EXPECT_EQ(cells->run(spec, *workspace, {}).value().out.head, "itself\n");

    // The control: what the launcher could not know when its filter was made is within reach.
    const Child stranger = bystander();
    spec.argv = {"sh", "-c", "kill -0 " + std::to_string(stranger.pid()) + " && echo reached"};
    EXPECT_EQ(cells->run(spec, *workspace, {}).value().out.head, "reached\n");
    EXPECT_EQ(CellHarness().sh(spec.argv.back()).out.head, "");
  });
}

/// Runs a cell that leaves sessions of its own, does `attack` to its launcher as soon as they are
/// there, then wants it stopped, and gives what the engine said. The mark of the survivors is
/// `mark`.
Result<CellReport> without_launcher(CellHarness& cell, const std::string& mark, int attack) {
  CellSpec spec;
  spec.argv = {"sh", "-c",
               "for i in 1 2 3 4; do setsid sh -c 'setsid sleep " + mark + " & sleep " + mark +
                   "' >/dev/null 2>&1 & done\n"
                   "echo $PPID > parent; mv parent launcher; exec sleep " +
                   mark};
  std::stop_source stop;
  const auto told = path_of(cell.workspace()) / "launcher";
  const std::jthread attacker([&](const std::stop_token& ended) {
    while (!ended.stop_requested() &&
           (!std::filesystem::exists(told) || find_by_mark(mark).size() < 9)) {
      std::this_thread::yield();
    }
    pid_t launcher = 0;
    std::ifstream(told) >> launcher;
    if (launcher > 1) ::kill(launcher, attack);
    stop.request_stop();
  });
  return cell.provider().run(spec, cell.workspace(), stop.get_token());
}

TEST(OtherProcesses, ACellDiesWithItsLauncher) {
  as_each_user([] {
    const std::string mark = unique_sleep();
    CellHarness cell;
    const auto report = without_launcher(cell, mark, SIGKILL);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::kInternal);
    EXPECT_TRUE(find_by_mark(mark).empty());
  });
}

TEST(OtherProcesses, ACellOutlivesItsLauncherWithoutTheHunt) {
  as_ordinary_user([] {
    const std::string mark = unique_sleep();
    CellHarness cell;
    set_guard_off(Guard::kSweep, true);
    EXPECT_FALSE(without_launcher(cell, mark, SIGKILL));
    set_guard_off(Guard::kSweep, false);
    const auto left = find_by_mark(mark);
    EXPECT_GE(left.size(), 8U);
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
  });
}

TEST(OtherProcesses, ALauncherThatDoesNotAnswerIsLostWithItsCell) {
  as_each_user([] {
    const std::string mark = unique_sleep();
    CellHarness cell({}, {}, 200ms);
    const auto report = without_launcher(cell, mark, SIGSTOP);
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().message.find("does not answer"), std::string::npos);
    EXPECT_TRUE(find_by_mark(mark).empty());
  });
}

/// The children of this process that were not there before: other tests may leave some unreaped.
std::vector<pid_t> children_but(const std::vector<pid_t>& before) {
  std::vector<pid_t> found = children_of(::getpid());
  std::erase_if(found, [&](pid_t pid) {
    return std::find(before.begin(), before.end(), pid) != before.end();
  });
  return found;
}

TEST(OtherProcesses, ALauncherThatIsStoppedIsNotWaitedForWithoutEnd) {
  as_each_user([] {
    const std::vector<pid_t> before = children_of(::getpid());
    // Without the bound it is woken up at last, so that the test ends.
    std::jthread rescuer;
    const auto began = std::chrono::steady_clock::now();
    std::string user;
    {
      CellHarness cell({}, {}, 200ms);
      user = cell.sh("id -u").out.head;
      const auto found = children_but(before);
      ASSERT_EQ(found.size(), 1U);
      const pid_t stopped = found.front();
      ASSERT_EQ(::kill(stopped, SIGSTOP), 0);
      rescuer = std::jthread([stopped](const std::stop_token& stop) {
        const auto until = std::chrono::steady_clock::now() + 15s;
        while (!stop.stop_requested() && std::chrono::steady_clock::now() < until) {
          std::this_thread::sleep_for(5ms);
        }
        if (!stop.stop_requested()) ::kill(stopped, SIGCONT);
      });
    }
    EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
    EXPECT_TRUE(children_but(before).empty());
    if (::geteuid() != 0) return;
    const std::string lock = "/run/instar/user-" + user.substr(0, user.find('\n')) + ".lock";
    EXPECT_EQ(read_file(lock, 100).value_or(""), "used\n");
  });
}

TEST(OtherProcesses, ALauncherStartsAmongSignals) {
  struct sigaction before {};
  struct sigaction interrupting {};  // without SA_RESTART
  interrupting.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &interrupting, &before);
  const itimerval often{.it_interval = {.tv_sec = 0, .tv_usec = 500},
                        .it_value = {.tv_sec = 0, .tv_usec = 500}};
  const itimerval never{};
  const SlotUser nobody{};
  const Fd scratch_lock = open_file("/dev/null", O_RDONLY).value();
  for (int round = 0; round < 10; ++round) {
    ::setitimer(ITIMER_REAL, &often, nullptr);
    const auto launcher = start_launcher(
        {.user = nobody, .scratch_lock = scratch_lock.get(), .slots = 1, .scratch = {}});
    ::setitimer(ITIMER_REAL, &never, nullptr);
    EXPECT_TRUE(launcher) << launcher.error().message;
  }
  ::sigaction(SIGALRM, &before, nullptr);
}

TEST(OtherProcesses, TheHuntSparesOtherChildrenOfTheEngine) {
  as_each_user([] {
    const std::string mark = unique_sleep();
    CellHarness cell;
    const Child other = bystander();
    EXPECT_FALSE(without_launcher(cell, mark, SIGKILL));
    EXPECT_EQ(::waitpid(other.pid(), nullptr, WNOHANG), 0);
  });
}

}  // namespace
}  // namespace instar::isolation
