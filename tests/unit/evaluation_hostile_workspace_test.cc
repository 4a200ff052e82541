#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/evaluation_bench.h"

/// What a variant makes of its workspace is judged as its own doing, never as a fault of ours: a
/// variant that could be taken for one would end the run.

namespace instar::engine {
namespace {

using testing_support::EvaluationBench;
using testing_support::stage;

class HostileWorkspace : public testing::Test {
 protected:
  void SetUp() override {
    Stage measured = stage("test", "cat file");
    measured.repeat = 2;
    bench.target.evaluate = {stage("build", "sh ./run.sh"), measured};
    bench.policy.cell.workspace_bytes = 8 << 20;
    ASSERT_TRUE(bench.measure({{"run.sh", "exit 0\n"}, {"file", "x\n"}}));
  }
  Evaluation run(const std::string& script) {
    return bench.evaluate_tree(bench.variant({{"run.sh", script}}), true);
  }
  EvaluationBench bench;
};

TEST_F(HostileWorkspace, ModesDoNotStopTheNextStage) {
  for (const char* script : {"true\n", "chmod 0 .\n", "chmod 0 $INSTAR_WORK/.. || true\n",
                             "mkdir -p a/b; chmod 0 a/b; chmod 100 a\n"}) {
    const Evaluation evaluation = run(script);
    EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << script << evaluation.reason;
  }
}

TEST_F(HostileWorkspace, WhatCannotBeCopiedIsTheVariantsOwnFailure) {
  for (const char* script :
       {"i=0; while [ $i -lt 140 ]; do mkdir d && cd d; i=$((i+1)); done; exit 0\n",
        "truncate -s 64M sparse; head -c 7M /dev/urandom > f; chmod 0 f; ln f g; exit 0\n",
        "head -c 12M /dev/urandom > f\n"}) {
    const Evaluation evaluation = run(script);
    EXPECT_NE(evaluation.verdict, Verdict::kInfra) << script << evaluation.reason;
  }
}

TEST_F(HostileWorkspace, ManyNamesOfOneFileFitWhereOneDoes) {
  const Evaluation evaluation =
      run("head -c 6M /dev/urandom > f; for i in 1 2 3 4 5 6; do ln f l$i; done\n");
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.reason;
}

}  // namespace
}  // namespace instar::engine
