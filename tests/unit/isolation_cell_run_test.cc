#include <gtest/gtest.h>
#include <signal.h>

#include "tests/support/cell_harness.h"

namespace instar::isolation {
namespace {

TEST(CellRun, ReportsExitCodeAndOutput) {
  as_each_user([] {
    CellHarness cell;
    const CellReport report = cell.sh("echo out; echo err >&2; exit 7");
    EXPECT_EQ(report.outcome, Outcome::kExited);
    EXPECT_EQ(report.exit_code, 7);
    EXPECT_EQ(report.out.head, "out\n");
    EXPECT_EQ(report.err.head, "err\n");
  });
}

TEST(CellRun, ReportsSignal) {
  CellHarness cell;
  const CellReport report = cell.sh("kill -TERM $$");
  EXPECT_EQ(report.outcome, Outcome::kSignalled);
  EXPECT_EQ(report.signal, SIGTERM);
}

}  // namespace
}  // namespace instar::isolation
