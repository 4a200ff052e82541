#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "isolation/cpu_account.h"
#include "isolation/slot_user.h"
#include "isolation/tree_reaper.h"
#include "tests/support/cell_harness.h"

/// What a program does so that its use is not seen: CPU time in children that nobody waits for,
/// memory behind a first thread that has ended.

namespace instar::isolation {
namespace {

using namespace std::chrono_literals;

/// Burns `pieces` times 0.2 s, each in a child of its own.
std::string burn_in_children(int pieces, bool waits) {
  return std::string("import os, signal, time\n") +
         (waits ? "" : "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n") + "for _ in range(" +
         std::to_string(pieces) +
         "):\n"
         "    r, w = os.pipe()\n"
         "    if os.fork() == 0:\n"
         "        while time.process_time() < 0.2: pass\n"
         "        os._exit(0)\n"
         "    os.close(w); os.read(r, 1); os.close(r)\n" +
         (waits ? "    os.wait()\n" : "");
}

TEST(HiddenUse, ChildrenThatNobodyWaitsForCount) {
  as_each_user([] {
    const double waited = CellHarness().python(burn_in_children(2, true)).cpu_s;
    const double thrown_away = CellHarness().python(burn_in_children(2, false)).cpu_s;
    EXPECT_GE(waited, 0.4);
    // Each may have gone on for as long as the watch pauses.
    EXPECT_GE(thrown_away, 0.6 * waited);
    EXPECT_LE(thrown_away, 1.3 * waited);
    const CellReport cut = CellHarness().python(burn_in_children(40, false), {.cpu = 400ms});
    EXPECT_EQ(cut.limit, "cpu");
    EXPECT_LT(cut.cpu_s, 4) << "cut short, not counted at its end";
  });
}

TEST(HiddenUse, AnHonestTreeIsChargedForNothing) {
  as_each_user([] {
    // Many short generations: whatever a look catches half-way has arrived by the next.
    const CellReport report = CellHarness().python(
        "import os, subprocess\n"
        "for _ in range(30):\n"
        "    subprocess.run(['sh', '-c', '(j=0; while [ $j -lt 4000 ]; do j=$((j+1)); done; "
        "sh -c true); sh -c true'])\n"
        "print(sum(os.times()[:4]))\n");
    EXPECT_EQ(report.exit_code, 0) << report.err.head;
    // The kernel's own sum, but for the interpreter's end.
    EXPECT_LT(report.cpu_s, std::stod(report.out.head) + 0.1);
  });
}

TreeSample sample_of(std::initializer_list<std::pair<pid_t, CpuTime>> times) {
  TreeSample sample;
  sample.times = times;
  return sample;
}

/// Numbers that no process has.
constexpr pid_t kFirst = 1 << 29;
constexpr pid_t kSecond = kFirst + 1;

TEST(HiddenUse, WhatTheReaperGotIsNotLost) {
  CpuAccount account;
  account.look(sample_of({{kFirst, {.start = 1, .own_s = 2, .waited_s = 1}}}), 0);
  account.finish(3.5);
  EXPECT_EQ(account.lost_s(), 0);
}

TEST(HiddenUse, WhatNobodyGotIsLost) {
  CpuAccount account;
  account.look(sample_of({{kFirst, {.start = 1, .own_s = 1, .waited_s = 0}},
                          {kSecond, {.start = 2, .own_s = 2, .waited_s = 0}}}),
               0);
  account.finish(1);
  EXPECT_DOUBLE_EQ(account.lost_s(), 2);
}

TEST(HiddenUse, ANumberThatIsUsedAgainIsAnotherProcess) {
  CpuAccount account;
  account.look(sample_of({{kFirst, {.start = 1, .own_s = 1, .waited_s = 0}}}), 0);
  account.look(sample_of({}), 0);
  EXPECT_DOUBLE_EQ(account.lost_s(), 1);
  account.look(sample_of({{kFirst, {.start = 2, .own_s = 0.5, .waited_s = 0}}}), 0);
  account.finish(0.5);
  EXPECT_DOUBLE_EQ(account.lost_s(), 1);
}

TEST(HiddenUse, ManyThatAreGoneTakeNoTimeFromTheLooks) {
  // The first process is in every sample, and gone whenever it is asked: nothing can be charged.
  constexpr int kMany = 10'000;
  CpuAccount account;
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < kMany; ++i) {
    account.look(sample_of({{kFirst, {.start = 1, .own_s = 1, .waited_s = 0}},
                            {kSecond + i, {.start = 2, .own_s = 0.02, .waited_s = 0.01}}}),
                 0);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, 15s);
  EXPECT_EQ(account.lost_s(), 0);
  account.finish(1 + 0.03 * kMany - 100);
  EXPECT_NEAR(account.lost_s(), 100, 0.001) << "each counts once";
}

TEST(HiddenUse, WhatWasPassedOnBeforeItCouldBeToldIsNotLost) {
  const auto self = [](double earlier_s) {
    CpuTime time = cpu_time_of(::getpid()).value();
    time.waited_s -= earlier_s;
    return std::pair(::getpid(), time);
  };
  constexpr std::pair<pid_t, CpuTime> kUnreadable{kFirst, {.start = 1, .own_s = 0, .waited_s = 0}};
  CpuAccount account;
  // This process got 3 s from its child between the first look and the next ones.
  account.look(
      sample_of({self(3), kUnreadable, {kSecond, {.start = 2, .own_s = 3, .waited_s = 0}}}), 0);
  account.look(sample_of({self(0), kUnreadable}), 0);
  account.look(sample_of({self(0), kUnreadable}), 0);
  account.look(sample_of({self(0)}), 0);
  EXPECT_EQ(account.lost_s(), 0);
  account.look(sample_of({self(0)}), 0);
  EXPECT_EQ(account.lost_s(), 0);
}

constexpr const char* kSecondThreadHolds =
    "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
    "#include <sys/mman.h>\n"
    "static void *hold(void *a) {\n"
    "  usleep(50000);\n"
    "  size_t n = 96u << 20;\n"
    "  char *p = mmap(0, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);\n"
    "  memset(p, 1, n); usleep(atoi(a) * 1000); _exit(0);\n"
    "}\n"
    "int main(int c, char **v) { pthread_t t; pthread_create(&t, 0, hold, v[c - 1]);\n"
    "  pthread_exit(0); }\n";

TEST(HiddenUse, MemoryBehindAFirstThreadThatEndedCounts) {
  if (::access("/usr/bin/cc", X_OK) != 0) GTEST_SKIP() << "there is no C compiler";
  as_each_user([] {
    CellHarness cell(CellHarness::Files{{"hold.c", kSecondThreadHolds}});
    ASSERT_EQ(cell.sh("cc -pthread -o hold hold.c").exit_code, 0);
    // Well before the program would end by itself, when its peak is told by the kernel.
    const CellReport report = cell.sh("./hold 20000", {.wall = 60s, .memory_bytes = 64 * kMiB});
    EXPECT_EQ(report.limit, "memory");
    EXPECT_LT(report.wall_s, 15);
    EXPECT_EQ(cell.sh("./hold 0", {.memory_bytes = 256 * kMiB}).exit_code, 0);
  });
}

/// Reads a byte of each 2 MiB of a range: nothing becomes resident, each takes a page of tables.
constexpr const char* kDenseTables =
    "import mmap, time\n"
    "n = 25600\n"
    "m = mmap.mmap(-1, n << 21, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, mmap.PROT_READ)\n"
    "for i in range(n): m[i << 21]\n"
    "time.sleep(PAUSE)\n";

/// A page in each GiB: little is mapped, and each takes a page of tables on two levels.
constexpr const char* kSparseTables =
    "import ctypes, time\n"
    "mmap = ctypes.CDLL(None).mmap\n"
    "mmap.restype = ctypes.c_void_p\n"
    "mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]\n"
    "for i in range(12800):\n"
    "    ctypes.string_at(mmap((1024 + i) << 30, 4096, 1, 0x22, -1, 0), 1)\n"
    "time.sleep(PAUSE)\n";

TEST(HiddenUse, PageTablesCountAsMemory) {
  as_each_user([] {
    for (const std::string program : {kDenseTables, kSparseTables}) {
      const auto at = program.find("PAUSE");
      const auto pausing = [&](const char* pause) {
        return std::string(program).replace(at, 5, pause);
      };
      const CellReport report =
          CellHarness().python(pausing("20"), {.wall = 60s, .memory_bytes = 32 * kMiB});
      EXPECT_EQ(report.limit, "memory") << report.reason << report.err.head;
      EXPECT_LT(report.wall_s, 15);
      EXPECT_GE(report.peak_memory_bytes, 32 * kMiB);
      // Within the limit it is only told.
      const CellReport allowed =
          CellHarness().python(pausing("0.3"), {.wall = 60s, .memory_bytes = 192 * kMiB});
      EXPECT_EQ(allowed.exit_code, 0) << allowed.reason << allowed.err.head;
      EXPECT_GT(allowed.peak_memory_bytes, 96 * kMiB);
    }
  });
}

TEST(HiddenUse, MemoryThatProcessesShareCountsOnce) {
  as_each_user([] {
    // As vfork does: children that run in the memory of their parent.
    const char* program =
        "import ctypes, time\n"
        "libc = ctypes.CDLL(None)\n"
        "taken = b'x' * (100 << 20)\n"
        "stacks = [ctypes.create_string_buffer(65536) for _ in range(3)]\n"
        "for s in stacks:\n"
        "    top = (ctypes.addressof(s) + 65536) & ~15\n"
        "    libc.clone(libc.usleep, ctypes.c_void_p(top), 0x100 | 17, ctypes.c_void_p(400000))\n"
        "time.sleep(0.5)\n";
    const CellReport report = CellHarness().python(program, {.memory_bytes = 150 * kMiB});
    EXPECT_EQ(report.exit_code, 0) << report.reason << report.err.head;
    EXPECT_LT(report.peak_memory_bytes, 150 * kMiB);
    EXPECT_GT(report.peak_memory_bytes, 100 * kMiB);
  });
}

TEST(HiddenUse, AKillerThatIsStoppedIsNotWaitedForWithoutEnd) {
  if (::geteuid() != 0) return;  // nothing is killed by its user
  const auto users = take_slot_users(1).value();
  const uid_t user = users.front().user;
  for (int round = 0; round < 20; ++round) {
    const pid_t hostile = ::fork();
    if (hostile == 0) {
      if (::setresuid(user, user, user) != 0) ::_exit(1);
      for (;;) ::kill(-1, SIGSTOP);  // everybody of the user but itself
    }
    const Child held = Child::adopt(hostile).value();
    const auto began = std::chrono::steady_clock::now();
    while (!kill_all_of_user(user, users.front().group)) {
      ASSERT_LT(std::chrono::steady_clock::now() - began, 20s);
    }
  }
}

}  // namespace
}  // namespace instar::isolation
