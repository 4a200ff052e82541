#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/evaluation_bench.h"

namespace instar::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::EvaluationBench;
using testing_support::stage;

/// Two calls of the program, each a process of its own, against a sealed answer each.
class SealedAnswers : public testing::Test {
 protected:
  void SetUp() override {
    bench.target.sealed = {{.value = "tests/**", .source = "instar.yaml:4"}};
    bench.target.evaluate = {stage("test", "sh tests/run.sh")};
    ASSERT_TRUE(measure("echo none"));
    ASSERT_EQ(bench.baseline.evaluation.verdict, Verdict::kFailed);
    ASSERT_TRUE(bench.baseline.stage_touched.empty());
  }
  bool measure(const std::string& program, const std::string& first = {}) {
    return bench.measure(
        {{"src/prog.sh", program + "\n"},
         {"tests/expected.1", "11\n"},
         {"tests/expected.2", "22\n"},
         {"tests/run.sh", first + "for n in 1 2; do sh src/prog.sh $n > $TMPDIR/out; "
                                  "cmp $TMPDIR/out tests/expected.$n || exit 1; done\n"}});
  }
  Evaluation run(const std::string& program) {
    return bench.evaluate({{"src/prog.sh", program + "\n"}});
  }
  static std::string on_calls(const std::string& first, const std::string& second) {
    return "if [ $1 = 1 ]; then " + first + "; else " + second + "; fi";
  }
  EvaluationBench bench;
};

TEST_F(SealedAnswers, ReadingThemIsNoChange) {
  const auto honest = run("cat tests/* >/dev/null; ls -l tests >/dev/null; touch src/x; echo $1$1");
  EXPECT_EQ(honest.verdict, Verdict::kPassed) << honest.reason;
}

TEST_F(SealedAnswers, OneThatIsChangedAndRestoredIsAViolation) {
  const auto restored =
      run(on_calls("echo wrong | tee tests/expected.1", "echo 11 > tests/expected.1; echo 22"));
  EXPECT_EQ(restored.verdict, Verdict::kViolated);
  EXPECT_THAT(restored.reason, HasSubstr("tests/expected.1 was changed and put back"));
}

TEST_F(SealedAnswers, OneThatIsMovedAwayAndBackIsAViolation) {
  const auto moved = run(on_calls("mv tests/expected.1 kept; echo wrong | tee tests/expected.1",
                                  "mv kept tests/expected.1; echo 22"));
  EXPECT_EQ(moved.verdict, Verdict::kViolated);
  EXPECT_THAT(moved.reason, HasSubstr("tests/expected.1 was changed and put back"));
}

TEST_F(SealedAnswers, ADirectoryThatIsMovedAwayAndBackIsAViolation) {
  const auto moved =
      run(on_calls("mv tests kept; cp -r kept tests; echo wrong | tee tests/expected.1",
                   "rm -r tests; mv kept tests; echo 22"));
  EXPECT_EQ(moved.verdict, Verdict::kViolated);
  EXPECT_THAT(moved.reason, HasSubstr("directory tests/"));
}

TEST_F(SealedAnswers, WhatTheBaseTouchesItselfIsAllowedAndTold) {
  ASSERT_TRUE(measure("echo none", "chmod 644 tests/expected.2; "));
  EXPECT_THAT(bench.baseline.stage_touched, ElementsAre("tests/expected.2"));
  EXPECT_THAT(bench.baseline.evaluation.notes, testing::Contains(HasSubstr("tests/expected.2")));
  EXPECT_EQ(run("echo $1$1").verdict, Verdict::kPassed);
  EXPECT_EQ(run("chmod 644 tests/expected.1; echo $1$1").verdict, Verdict::kViolated);
}

}  // namespace
}  // namespace instar::engine
