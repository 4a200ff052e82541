#include <gtest/gtest.h>

#include "isolation/cell_watch.h"

namespace instar::isolation {
namespace {

using namespace std::chrono_literals;

TEST(CellWatch, PausesGrowWithWhatALookTakes) {
  EXPECT_EQ(CellWatch::file_pause(1ms), 100ms);
  EXPECT_EQ(CellWatch::file_pause(10ms), 200ms);
  EXPECT_EQ(CellWatch::process_pause(100us), 10ms);
  EXPECT_EQ(CellWatch::process_pause(1ms), 20ms);
}

TEST(CellWatch, ManyFilesOrProcessesDoNotMakeItBlind) {
  // 100,000 files take a look of some 100 ms: without a bound the next one would be seconds away.
  EXPECT_EQ(CellWatch::file_pause(150ms), 250ms);
  EXPECT_EQ(CellWatch::file_pause(10s), 250ms);
  EXPECT_EQ(CellWatch::process_pause(20ms), 50ms);
}

}  // namespace
}  // namespace instar::isolation
