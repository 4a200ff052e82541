#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "engine/run/ledger_journal.h"
#include "tests/support/manual_clock.h"

namespace instar::engine {
namespace {

using checkpoints::RunDirectory;
using nlohmann::json;

class LedgerJournalTest : public testing::Test {
 protected:
  Result<std::unique_ptr<LedgerJournal>> open() { return LedgerJournal::open(run_, clock_); }

  TempDir directory_ = TempDir::create("instar-test").value();
  ManualClock clock_;
  RunDirectory run_ =
      RunDirectory::create(directory_.path(), checkpoints::RunId::parse("r1").value(), {}).value();
};

TEST_F(LedgerJournalTest, ARecordIsWrittenOnceAndAnotherAnswerIsAnError) {
  ASSERT_TRUE((*open())->record("judged", "a", {{"verdict", "passed"}}));
  const auto again = open().value();
  EXPECT_TRUE(again->record("judged", "a", {{"verdict", "passed"}}));
  EXPECT_EQ(again->last().seq, 1U);
  EXPECT_EQ(again->record("judged", "a", {{"verdict", "failed"}}).error().code,
            ErrorCode::kIntegrity);
}

TEST_F(LedgerJournalTest, ARollbackMakesTheCrowningBeforeItHistory) {
  {
    const auto journal = open().value();
    ASSERT_TRUE(journal->record("champion", "a", {{"to", "1"}}));
    ASSERT_TRUE(journal->record("champion", "b", {{"to", "2"}}));
  }
  EXPECT_TRUE((*open())->superseded("champion", "a"));
  EXPECT_FALSE((*open())->superseded("champion", "b"));
  ASSERT_TRUE((*open())->record("rollback", "1", {{"to", "1"}}));
  EXPECT_TRUE((*open())->superseded("champion", "b"));
}

TEST_F(LedgerJournalTest, ASegmentRecordOfAnotherShapeIsAnErrorNotACrash) {
  ASSERT_TRUE((*open())->record("segment", "a", {{"hash", 7}, {"entries", {{{"nam", "x"}}}}}));
  const auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kIntegrity);
}

}  // namespace
}  // namespace instar::engine
