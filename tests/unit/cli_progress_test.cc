#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/metric_text.h"
#include "cli/progress.h"

namespace instar::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

engine::RunProgress halfway() {
  static const std::vector<std::string> kObjectives{"tests.failed", "bench.cpu_s"};
  static const engine::Metrics kBase{{"tests.failed", 2}, {"bench.cpu_s", 0.5}, {"patch.lines", 0}};
  engine::RunProgress progress;
  progress.counters.evaluated = 50;
  progress.limit = 100;
  progress.baseline = &kBase;
  progress.objectives = &kObjectives;
  progress.seconds = 10;
  progress.wall_s = 3600;
  return progress;
}

TEST(ProgressLine, ShowsTheObjectivesOfTheBestSoFar) {
  EXPECT_THAT(progress_line(halfway()), HasSubstr("  tests.failed 2  bench.cpu_s 0.5 s"));
  engine::Accepted champion;
  champion.evaluation.metrics = {{"tests.failed", 0}, {"bench.cpu_s", 0.25}};
  engine::RunProgress progress = halfway();
  progress.champion = &champion;
  EXPECT_THAT(progress_line(progress),
              HasSubstr("tests.failed 2 -> 0  bench.cpu_s 0.5 s -> 0.25 s"));
}

TEST(ProgressLine, ExpectsTheEndAtTheRateOfThisStretchAndNotBehindItsTime) {
  EXPECT_THAT(progress_line(halfway()), HasSubstr("5.0/s"));
  EXPECT_THAT(progress_line(halfway()), HasSubstr("ETA at most 10s"));
  engine::RunProgress resumed = halfway();
  resumed.on_record = 40;
  EXPECT_THAT(progress_line(resumed), HasSubstr("1.0/s"));
  EXPECT_THAT(progress_line(resumed), HasSubstr("ETA at most 50s"));
  resumed.wall_s = 12;
  EXPECT_THAT(progress_line(resumed), HasSubstr("ETA at most 2s"));
  resumed.on_record = 50;
  EXPECT_THAT(progress_line(resumed), Not(HasSubstr("ETA"))) << "nothing is known of the rate yet";
}

TEST(MetricText, HasUnits) {
  EXPECT_EQ(metric_text("test.peak_memory_bytes", 52428800), "50.0 MiB");
  EXPECT_EQ(metric_text("test.cpu_s", 0.11432), "0.114 s");
  EXPECT_EQ(metric_text("tests.failed", 3), "3");
  EXPECT_EQ(change_text("gone", {}, {{"gone", 1}}), "");
}

}  // namespace
}  // namespace instar::cli
