#include <gtest/gtest.h>

#include "isolation/guard_control.h"
#include "tests/support/cell_harness.h"

/// Each limit that a watch or an rlimit holds, beside the same command with that guard switched
/// off: the command is one that would go through, so the test of the limit can fail.

namespace instar::isolation {
namespace {

using namespace std::chrono_literals;

void expect_ended_only_by(Guard guard, const std::string& limit, const std::string& script,
                          const Limits& limits) {
  CellHarness guarded;
  const CellReport ended = guarded.python(script, limits);
  EXPECT_EQ(ended.outcome, Outcome::kLimit) << ended.reason;
  EXPECT_EQ(ended.limit, limit);

  CellHarness unguarded({}, {guard});
  const CellReport through = unguarded.python(script, limits);
  EXPECT_EQ(through.outcome, Outcome::kExited) << through.reason;
  EXPECT_EQ(through.exit_code, 0) << through.err.head;
}

TEST(GuardControl, MemoryGoesThroughWithoutItsLimit) {
  // Each child stays below the limit; together they do not.
  expect_ended_only_by(Guard::kMemoryLimit, "memory",
                       "import os, time\n"
                       "for _ in range(4):\n"
                       "    if os.fork() == 0:\n"
                       "        x = b'a' * (60 << 20); time.sleep(1); os._exit(0)\n"
                       "for _ in range(4): os.wait()\n",
                       {.wall = 30s, .memory_bytes = 128 * kMiB});
}

TEST(GuardControl, ProcessesGoThroughWithoutTheirLimit) {
  expect_ended_only_by(Guard::kProcessLimit, "processes",
                       "import os, time\n"
                       "made = 0\n"
                       "for _ in range(40):\n"
                       "    try: pid = os.fork()\n"
                       "    except OSError: break\n"
                       "    if pid == 0: time.sleep(1); os._exit(0)\n"
                       "    made += 1\n"
                       "for _ in range(made): os.wait()\n"
                       "os._exit(0 if made == 40 else 1)\n",
                       {.wall = 30s, .processes = 16});
}

TEST(GuardControl, WorkspaceBytesGoThroughWithoutTheirWatch) {
  expect_ended_only_by(Guard::kWorkspaceWatch, "workspace",
                       "import time\n"
                       "open('big', 'wb').write(b'a' * (8 << 20)); time.sleep(2)\n",
                       {.wall = 30s, .workspace_bytes = kMiB});
}

}  // namespace
}  // namespace instar::isolation
