#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "tests/support/cell_harness.h"

namespace instar::isolation {
namespace {

using namespace std::chrono_literals;

TEST(CellRun, ReportsExitCodeAndOutput) {
  as_each_user([] {
    CellHarness cell;
    const CellReport report = cell.sh("echo out; echo err >&2; exit 7");
    EXPECT_EQ(report.outcome, Outcome::kExited);
    EXPECT_EQ(report.exit_code, 7);
    EXPECT_EQ(report.out.head, "out\n");
    EXPECT_EQ(report.err.head, "err\n");
    EXPECT_GT(report.wall_s, 0);
    EXPECT_GT(report.peak_memory_bytes, 0U);
  });
}

TEST(CellRun, ReportsSignal) {
  CellHarness cell;
  const CellReport report = cell.sh("kill -TERM $$");
  EXPECT_EQ(report.outcome, Outcome::kSignalled);
  EXPECT_EQ(report.signal, SIGTERM);
}

TEST(CellRun, MissingCommandIsAnErrorAndTheSlotStaysUsable) {
  CellHarness cell;
  CellSpec spec;
  spec.argv = {"no-such-command"};
  const auto refused = cell.provider().run(spec, cell.workspace(), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(cell.sh("exit 0").exit_code, 0);
}

TEST(CellRun, RefusesZeroLimitsAndEmptyCommands) {
  CellHarness cell;
  CellSpec spec;
  EXPECT_EQ(cell.provider().run(spec, cell.workspace(), {}).error().code, ErrorCode::kInvalidInput);
  spec.argv = {"true"};
  spec.limits.memory_bytes = 0;
  EXPECT_EQ(cell.provider().run(spec, cell.workspace(), {}).error().code, ErrorCode::kInvalidInput);
}

TEST(CellRun, WallDeadlineEndsASleeperThatIgnoresSigterm) {
  CellHarness cell;
  const CellReport report = cell.sh("trap '' TERM; while :; do sleep 100; done", {.wall = 200ms});
  EXPECT_EQ(report.outcome, Outcome::kTimeout);
  EXPECT_EQ(report.limit, "wall");
  EXPECT_LT(report.wall_s, 30);
}

TEST(CellRun, CpuDeadlineCountsTheWholeTree) {
  as_each_user([] {
    CellHarness cell;
    // Two burners: neither alone uses up the limit when it is reached.
    const CellReport report =
        cell.sh("(while :; do :; done) & while :; do :; done", {.wall = 60s, .cpu = 400ms});
    EXPECT_EQ(report.outcome, Outcome::kTimeout);
    EXPECT_EQ(report.limit, "cpu");
    EXPECT_GE(report.cpu_s, 0.4);
    EXPECT_LT(report.cpu_s, 10);
  });
}

TEST(CellRun, MemoryHogIsEndedByNameAndSmallUseIsNot) {
  constexpr const char* kHog = "x = b'a' * (300 << 20); print(len(x))";
  CellHarness cell;
  EXPECT_EQ(cell.python(kHog).out.head, "314572800\n");
  const CellReport report = cell.python(
      "import os, time\n"
      "for _ in range(4):\n"
      "    if os.fork() == 0:\n"
      "        x = b'a' * (60 << 20); time.sleep(60)\n"
      "time.sleep(60)",
      {.memory_bytes = 128 * kMiB});
  EXPECT_EQ(report.outcome, Outcome::kLimit);
  EXPECT_EQ(report.limit, "memory");
  EXPECT_GE(report.peak_memory_bytes, 128 * kMiB);
}

TEST(CellRun, OneProcessCannotTakeMuchMoreThanTheMemoryLimit) {
  CellHarness cell;
  const CellReport report = cell.python("x = b'a' * (1 << 30)", {.memory_bytes = 64 * kMiB});
  EXPECT_NE(report.exit_code, 0);
  EXPECT_LT(report.peak_memory_bytes, 128 * kMiB);
}

TEST(CellRun, ForkBombDiesByName) {
  as_each_user([] {
    CellHarness cell;
    const CellReport report = cell.python(
        "import os\n"
        "while True:\n"
        "    try: os.fork()\n"
        "    except OSError: pass\n",
        {.wall = 60s, .cpu = 60s});
    EXPECT_EQ(report.outcome, Outcome::kLimit);
    EXPECT_EQ(report.limit, "processes");
  });
}

TEST(CellRun, AsManyProcessesAsAllowedAreAllowed) {
  as_each_user([] {
    CellHarness cell;
    EXPECT_EQ(cell.command({"sleep", "0.2"}, {.processes = 1}).exit_code, 0);
    constexpr const char* kThree =
        "import os, time\n"
        "for _ in range(2):\n"
        "    if os.fork() == 0: time.sleep(0.2); os._exit(0)\n"
        "for _ in range(2): os.wait()\n";
    EXPECT_EQ(cell.python(kThree, {.processes = 3}).reason, "it ended with exit code 0");
    EXPECT_EQ(cell.python(kThree, {.processes = 2}).limit, "processes");
  });
}

TEST(CellRun, OutputFloodIsCountedAndBounded) {
  CellHarness cell;
  const CellReport report =
      cell.sh("echo first; head -c 100000000 /dev/zero; echo last", {.output_bytes = 64 * kKiB});
  EXPECT_EQ(report.outcome, Outcome::kExited);
  EXPECT_EQ(report.out.total_bytes, 100'000'000U + 6 + 5);
  EXPECT_TRUE(report.out.head.starts_with("first\n"));
  EXPECT_TRUE(report.out.tail.ends_with("last\n"));
  EXPECT_EQ(report.out.head.size() + report.out.tail.size(), 64 * kKiB);
}

TEST(CellRun, LargeFileIsEndedByName) {
  CellHarness cell;
  const CellReport report =
      cell.python("open('f', 'wb').write(b'a' * (2 << 20))", {.file_size_bytes = kMiB});
  // Python ignores SIGXFSZ and sees the error; a program that does not is ended by it.
  EXPECT_NE(report.exit_code, 0);
  const CellReport plain =
      cell.command({"dd", "if=/dev/zero", "of=g", "bs=1M", "count=2"}, {.file_size_bytes = kMiB});
  EXPECT_EQ(plain.outcome, Outcome::kLimit);
  EXPECT_EQ(plain.limit, "file_size");
}

TEST(CellRun, WorkspaceAndInodesAreWatched) {
  CellHarness cell;
  const CellReport bytes =
      cell.sh("head -c 30000000 /dev/zero > $TMPDIR/f; sleep 60", {.workspace_bytes = 8 * kMiB});
  EXPECT_EQ(bytes.limit, "workspace");
  const CellReport inodes =
      cell.sh("i=0; while [ $i -lt 300 ]; do : > $i; i=$((i+1)); done; sleep 60", {.inodes = 200});
  EXPECT_EQ(inodes.limit, "inodes");
}

TEST(CellRun, StopEndsTheCell) {
  CellHarness cell;
  std::stop_source stop;
  CellSpec spec;
  spec.argv = {"sleep", "100"};
  std::jthread stopper([&] { stop.request_stop(); });
  const auto report = cell.provider().run(spec, cell.workspace(), stop.get_token());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, Outcome::kSignalled);
  EXPECT_EQ(report->reason, "stopped");
}

TEST(CellRun, StatesWhatEnforcedEachLimit) {
  CellHarness cell;
  const auto enforced = cell.sh("exit 0").enforced;
  const bool grouped = level_under_test() == Level::kNamespace && ::geteuid() == 0;
  EXPECT_EQ(enforced.at("memory"), grouped ? "cgroup" : "watch");
  EXPECT_EQ(enforced.at("memory_per_process"),
            "rlimit at 125% for private data, watch for the rest");
  EXPECT_EQ(enforced.at("processes"), grouped ? "cgroup" : ::geteuid() == 0 ? "rlimit" : "watch");
  EXPECT_EQ(enforced.at("file_size"), "rlimit");
}

TEST(CellRun, ProviderIsRefusedWhenAThreadRuns) {
  std::jthread other([](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  const auto made = make_cell_provider({});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("threads"), std::string::npos);
}

}  // namespace
}  // namespace instar::isolation
