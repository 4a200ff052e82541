#include <gtest/gtest.h>

#include <cstdlib>

namespace {

/// With INSTAR_MUST_WORK=1 a skipped test is a failed one: a machine that gates on these tests must
/// run them all.
class SkipsFail : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& info) override {
    if (info.result()->Skipped()) skipped_ = true;
  }
  void OnTestProgramEnd(const testing::UnitTest& unit) override {
    if (skipped_ && !unit.Failed()) std::_Exit(1);
  }
  bool skipped_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* must_work = std::getenv("INSTAR_MUST_WORK");
  if (must_work != nullptr && *must_work == '1') {
    testing::UnitTest::GetInstance()->listeners().Append(new SkipsFail);
  }
  return RUN_ALL_TESTS();
}
