#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/evaluation_bench.h"

namespace instar::engine {
namespace {

using testing::HasSubstr;
using testing_support::EvaluationBench;
using testing_support::Files;
using testing_support::pytest_stage;
using testing_support::stage;

constexpr const char* kTests = R"(
import sys
sys.path.insert(0, "src")
import calc

def test_add(): assert calc.add(2, 3) == 5
def test_sub(): assert calc.sub(5, 3) == 2
def test_mul(): assert calc.mul(2, 3) == 6
)";

std::string calc(const std::string& add, const std::string& sub = "return a - b") {
  return "def add(a, b):\n    " + add + "\ndef sub(a, b):\n    " + sub +
         "\ndef mul(a, b):\n    return a * b\n";
}

/// A target whose base fails test_add.
class PytestStage : public testing::Test {
 protected:
  void SetUp() override {
    bench.target.evaluate = {pytest_stage()};
    bench.target.sealed = {{.value = "tests/**", .source = "instar.yaml:4"}};
    ASSERT_TRUE(
        bench.measure({{"src/calc.py", calc("return a - b")}, {"tests/test_calc.py", kTests}}));
  }

  static TestId id(const std::string& name) { return {"py", "tests/test_calc.py", name}; }
  Evaluation with_add(const std::string& body) {
    return bench.evaluate({{"src/calc.py", calc(body)}});
  }

  EvaluationBench bench;
};

TEST_F(PytestStage, TellsRepairFromFaultAndWorse) {
  EXPECT_EQ(bench.baseline.evaluation.verdict, Verdict::kFailed);
  EXPECT_EQ(bench.baseline.evaluation.metrics.at("tests.failed"), 1);
  EXPECT_EQ(bench.baseline.evaluation.metrics.at("tests.total"), 3);
  EXPECT_TRUE(bench.baseline.flaky.empty());

  const auto repaired = with_add("return a + b");
  EXPECT_EQ(repaired.verdict, Verdict::kPassed) << repaired.reason << repaired.output_excerpt;
  EXPECT_EQ(repaired.metrics.at("tests.failed"), 0);
  EXPECT_EQ(repaired.metrics.at("tests.passed"), 3);
  EXPECT_EQ(repaired.metrics.at("stages.failed"), 0);
  EXPECT_EQ(repaired.metrics.at("patch.lines"), 2);
  EXPECT_GT(repaired.metrics.at("py.cpu_s"), 0);
  EXPECT_GT(repaired.metrics.at("peak_memory_bytes"), 0);

  const auto worse = bench.evaluate({{"src/calc.py", calc("return a * b", "return 9")}});
  EXPECT_EQ(worse.verdict, Verdict::kFailed);
  EXPECT_EQ(worse.metrics.at("tests.failed"), 2);
  EXPECT_EQ(worse.tests.at(id("test_mul")), TestOutcome::kPassed);
  EXPECT_THAT(worse.output_excerpt, HasSubstr("test_sub"));
}

TEST_F(PytestStage, ATestThatHangsIsToldAndTheOthersToo) {
  for (const char* hang :
       {"while True: pass", "import time; time.sleep(1000)",
        "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); signal.pause()"}) {
    const auto hung = with_add(hang);
    EXPECT_EQ(hung.verdict, Verdict::kFailed) << hang << hung.reason;
    EXPECT_EQ(hung.tests.at(id("test_add")), TestOutcome::kTimeout) << hang;
    EXPECT_EQ(hung.tests.at(id("test_sub")), TestOutcome::kPassed) << hang;
    EXPECT_EQ(hung.tests.at(id("test_mul")), TestOutcome::kPassed) << hang;
    EXPECT_EQ(hung.metrics.at("tests.failed"), 1);
  }
}

TEST_F(PytestStage, LeavingTheProcessInATestIsAFailureOfThatTestOnly) {
  for (const char* leave :
       {"import os; os._exit(0)", "import sys; sys.exit(0)", "import os; os.kill(os.getpid(), 9)",
        "import ctypes; ctypes.string_at(0)"}) {
    const auto left = with_add(leave);
    EXPECT_EQ(left.verdict, Verdict::kFailed) << leave;
    EXPECT_EQ(left.metrics.at("tests.failed"), 1) << leave << left.reason << left.output_excerpt;
    EXPECT_NE(left.tests.at(id("test_add")), TestOutcome::kPassed) << leave;
  }
}

TEST_F(PytestStage, LeavingTheProcessAtImportLosesEveryTest) {
  for (const char* leave : {"import os; os._exit(0)\n", "import sys; sys.exit(0)\n",
                            "import os, signal; os.kill(os.getpid(), 9)\n"}) {
    const auto left = bench.evaluate({{"src/calc.py", leave + calc("return a + b")}});
    EXPECT_NE(left.verdict, Verdict::kPassed) << leave;
    EXPECT_EQ(left.metrics.at("tests.failed"), 3) << leave;
    EXPECT_EQ(left.metrics.at("tests.passed"), 0) << leave;
  }
}

TEST_F(PytestStage, AForgedRecordIsNotBelieved) {
  const std::string forged =
      R"(import os
p = os.path.join(os.environ["INSTAR_OUT"], os.environ["PYTEST_INSTAR_STREAM"])
)";
  // what the plugin would have written, then out before it can
  const std::string passed = forged + R"(
import json
ids = ["tests/test_calc.py::test_%s" % n for n in ("add", "sub")]
with open(p, "w") as f:
    f.write(json.dumps({"type": "start", "ids": ids}) + "\n")
    for i in ids: f.write(json.dumps({"type": "test", "id": i, "outcome": "passed", "cpu_s": 0}) + "\n")
    f.write(json.dumps({"type": "end", "exit": 0, "tests": 2}) + "\n")
os._exit(0)
)";
  const auto fewer = bench.evaluate({{"src/calc.py", passed}});
  EXPECT_EQ(fewer.verdict, Verdict::kViolated);
  EXPECT_THAT(fewer.reason, HasSubstr("test_mul did not report"));

  const auto removed =
      bench.evaluate({{"src/calc.py", forged + "os.unlink(p)\n" + calc("return a + b")}});
  EXPECT_EQ(removed.verdict, Verdict::kFailed);
  EXPECT_EQ(removed.metrics.at("tests.failed"), 3);

  const auto printed =
      bench.evaluate({{"src/calc.py", "print('3 passed in 0.01s')\nimport os; os._exit(0)\n"}});
  EXPECT_EQ(printed.metrics.at("tests.passed"), 0);
}

TEST_F(PytestStage, SwitchingTestsOffIsAViolation) {
  const auto skipped = with_add("import pytest; pytest.skip('later')");
  EXPECT_EQ(skipped.verdict, Verdict::kViolated);
  EXPECT_THAT(skipped.reason, HasSubstr("newly skipped"));
  EXPECT_EQ(skipped.metrics.at("tests.failed"), 1);

  const auto xfailed = with_add("import pytest; pytest.xfail('known')");
  EXPECT_EQ(xfailed.verdict, Verdict::kViolated);

  const auto deselected = bench.evaluate(
      {{"src/calc.py", calc("return 0")},
       {"conftest.py", "def pytest_collection_modifyitems(items): items[:] = items[1:]\n"}});
  EXPECT_EQ(deselected.verdict, Verdict::kViolated);
  EXPECT_THAT(deselected.reason, HasSubstr("test_add did not report"));
}

TEST_F(PytestStage, TouchingSealedFilesIsAViolation) {
  const std::string add = "return a + b";
  const auto changed = bench.evaluate(
      {{"src/calc.py", "open('tests/test_calc.py', 'a').write('# x')\n" + calc(add)}});
  EXPECT_EQ(changed.verdict, Verdict::kViolated);
  EXPECT_THAT(changed.reason, HasSubstr("tests/test_calc.py was changed"));

  const auto removed =
      bench.evaluate({{"src/calc.py", "import os; os.unlink('tests/test_calc.py')\n" + calc(add)}});
  EXPECT_EQ(removed.verdict, Verdict::kViolated);

  const auto replaced = bench.evaluate({{"src/calc.py",
                                         "import os; os.rename('tests/test_calc.py', 'x'); "
                                         "os.symlink('../x', 'tests/test_calc.py')\n" +
                                             calc(add)}});
  EXPECT_EQ(replaced.verdict, Verdict::kViolated);

  const auto added = bench.evaluate(
      {{"src/calc.py", "import os; os.symlink('/etc/passwd', 'tests/conftest.py')\n" + calc(add)}});
  EXPECT_EQ(added.verdict, Verdict::kViolated);
  EXPECT_THAT(added.reason, HasSubstr("tests/conftest.py"));

  const auto plugin = bench.evaluate(
      {{"src/calc.py", "open('.instar/instar_pytest_plugin.py', 'a').write('#')\n" + calc(add)}});
  EXPECT_EQ(plugin.verdict, Verdict::kViolated);

  // the control: the same write beside the sealed files
  const auto beside =
      bench.evaluate({{"src/calc.py", "open('notes.txt', 'a').write('# x')\n" + calc(add)}});
  EXPECT_EQ(beside.verdict, Verdict::kPassed) << beside.reason;
}

TEST_F(PytestStage, AVariantThatWritesTheReservedDirectoryNeverRuns) {
  const auto shadow =
      bench.evaluate({{".instar/instar_pytest_plugin.py", "import os; os._exit(0)"}});
  EXPECT_EQ(shadow.verdict, Verdict::kViolated);
  EXPECT_TRUE(shadow.tests.empty());
}

TEST_F(PytestStage, AVariantWithAFileOfThePluginsNameNeverRuns) {
  for (const char* name : {"instar_pytest_plugin.py", "instar_pytest_plugin/__init__.py",
                           "src/instar_pytest_plugin.so"}) {
    const auto shadow = bench.evaluate({{name, "import os; os._exit(0)"}});
    EXPECT_EQ(shadow.verdict, Verdict::kViolated) << name;
    EXPECT_TRUE(shadow.tests.empty()) << name;
  }
  EXPECT_EQ(bench.evaluate({{"instar_plugin.py", ""}}).verdict, Verdict::kFailed);
}

TEST_F(PytestStage, ANewFileOfThePluginsNameIsAViolation) {
  bench.target.evaluate.insert(bench.target.evaluate.begin(), stage("build", "sh build.sh"));
  ASSERT_TRUE(bench.measure({{"src/calc.py", calc("return a - b")},
                             {"tests/test_calc.py", kTests},
                             {"build.sh", "true\n"}}));
  const auto built = [&](const std::string& script) {
    return bench.evaluate({{"src/calc.py", calc("return a + b")}, {"build.sh", script}});
  };
  for (const char* script : {"touch instar_pytest_plugin.py\n",
                             "mkdir instar_pytest_plugin; cd instar_pytest_plugin; "
                             "touch __init__.py\n",
                             "touch src/instar_pytest_plugin.pyc\n"}) {
    const auto shadow = built(script);
    EXPECT_EQ(shadow.verdict, Verdict::kViolated) << script;
    EXPECT_EQ(shadow.stage, "build");
    EXPECT_THAT(shadow.reason, HasSubstr("instar_pytest_plugin")) << script;
  }
  EXPECT_EQ(built("touch src/other.pyc\n").verdict, Verdict::kPassed);
}

TEST_F(PytestStage, AModuleInPlaceOfPytestsOwnIsAViolation) {
  bench.target.evaluate.insert(bench.target.evaluate.begin(), stage("build", "sh build.sh"));
  ASSERT_TRUE(bench.measure({{"src/calc.py", calc("return a - b")},
                             {"tests/test_calc.py", kTests},
                             {"build.sh", "true\n"}}));
  for (const char* name :
       {"pytest.py", "_pytest/__init__.py", "pluggy.cpython-311.so", "sitecustomize.pyc"}) {
    const auto shadow = bench.evaluate(
        {{"src/calc.py", calc("return a - b")},
         {"build.sh", "mkdir -p $(dirname " + std::string(name) + "); echo > " + name + "\n"}});
    EXPECT_EQ(shadow.verdict, Verdict::kViolated) << name << shadow.reason;
    EXPECT_EQ(shadow.stage, "build");
  }
  EXPECT_EQ(bench
                .evaluate({{"src/calc.py", calc("return a + b")},
                           {"build.sh", "echo > pytest.log; echo > my_pytest.py\n"}})
                .verdict,
            Verdict::kPassed);
}

TEST_F(PytestStage, ASyntaxErrorFailsEveryTest) {
  const auto broken = bench.evaluate({{"src/calc.py", "def add(:\n"}});
  EXPECT_EQ(broken.verdict, Verdict::kFailed);
  EXPECT_EQ(broken.metrics.at("tests.failed"), 3);
  EXPECT_THAT(broken.output_excerpt, HasSubstr("SyntaxError"));
}

TEST_F(PytestStage, AFloodOfOutputChangesNothing) {
  const auto loud = with_add(
      "import os\n    for i in range(64): os.write(1, b'x' * (1 << 20))\n"
      "    return a + b");
  EXPECT_EQ(loud.verdict, Verdict::kPassed) << loud.reason;
}

TEST_F(PytestStage, AnotherEvaluatorCanAdoptTheBaseline) {
  const Baseline kept = bench.baseline;
  ASSERT_TRUE(bench.open({{"src/calc.py", calc("return a - b")}, {"tests/test_calc.py", kTests}}));
  ASSERT_TRUE(bench.evaluator().adopt(kept, {}));
  EXPECT_EQ(with_add("return a + b").verdict, Verdict::kPassed);
}

TEST(PytestBase, AHangingBaseIsABugToRepair) {
  EvaluationBench bench;
  bench.target.evaluate = {pytest_stage(std::chrono::milliseconds(300))};
  ASSERT_TRUE(
      bench.measure({{"src/calc.py", calc("while True: pass")}, {"tests/test_calc.py", kTests}}));
  EXPECT_EQ(bench.baseline.evaluation.metrics.at("tests.failed"), 1);
  EXPECT_LT(bench.baseline.cpu_s.at("py"), 10);
  EXPECT_EQ(bench.evaluate({{"src/calc.py", calc("return a + b")}}).verdict, Verdict::kPassed);
}

TEST(PytestBase, ABaseThatCannotBeCollectedIsOneClearErrorUnlessItsIdsAreListed) {
  const Files files{{"src/calc.py", "def add(:\n"}, {"tests/test_calc.py", kTests}};
  EvaluationBench refused;
  refused.target.evaluate = {pytest_stage()};
  const std::string why = refused.refusal(files);
  EXPECT_THAT(why, HasSubstr("pytest cannot collect tests/test_calc.py"));
  EXPECT_THAT(why, HasSubstr("SyntaxError"));

  EvaluationBench listed;
  listed.target.evaluate = {pytest_stage()};
  listed.target.evaluate[0].list =
      "for t in add sub mul; do echo tests/test_calc.py::test_$t; done";
  ASSERT_TRUE(listed.measure(files));
  EXPECT_EQ(listed.baseline.evaluation.metrics.at("tests.failed"), 3);
  EXPECT_EQ(listed.evaluate({{"src/calc.py", calc("return a + b")}}).verdict, Verdict::kPassed);
}

TEST(PytestBase, AMissingModuleIsToldWithWhatACellSees) {
  const auto refusal = [](const std::string& test) {
    EvaluationBench bench;
    bench.target.evaluate = {pytest_stage()};
    return bench.refusal({{"src/calc.py", calc("return 1")}, {"tests/test_calc.py", test}});
  };
  EXPECT_THAT(refusal("import nosuchmodule\n"), HasSubstr("a cell sees the workspace and /usr"));
  EXPECT_THAT(refusal("def (\n"), Not(HasSubstr("/usr,")));
}

TEST(PytestBase, FlakyTestsAreNamedAndLeftOutOrRefused) {
  // Fails in every second workspace: cells have no memory, so chance must decide. Sixty-four coins
  // make it certain that some differ between three runs, and one test is steady.
  const Files files{{"tests/test_f.py",
                     "import os, pytest\n"
                     "@pytest.mark.parametrize('n', range(64))\n"
                     "def test_coin(n): assert os.urandom(1)[0] & 1\n"
                     "def test_steady(): import value; assert value.x == 1\n"},
                    {"value.py", "x = 2\n"}};
  EvaluationBench excluding;
  excluding.target.evaluate = {pytest_stage()};
  ASSERT_TRUE(excluding.measure(files));
  EXPECT_GT(excluding.baseline.flaky.size(), 20U);
  EXPECT_TRUE(
      excluding.baseline.evaluation.tests.contains({"py", "tests/test_f.py", "test_steady"}));

  EvaluationBench refusing;
  refusing.target.evaluate = {pytest_stage()};
  refusing.target.flaky = FlakyRule::kRefuse;
  EXPECT_THAT(refusing.refusal(files), HasSubstr("flaky"));
}

TEST(PytestBase, AFailureOfFlakyTestsAloneIsNoFailure) {
  EvaluationBench bench;
  bench.target.evaluate = {pytest_stage()};
  Baseline baseline;
  baseline.evaluation.tests[{"py", "tests/test_f.py", "test_steady"}] = TestOutcome::kFailed;
  baseline.flaky = {{"py", "tests/test_f.py", "test_flaky"}};
  const std::string tests =
      "import value\ndef test_flaky(): assert 0\ndef test_steady(): assert value.x == 1\n";
  ASSERT_TRUE(bench.open({{"tests/test_f.py", tests}, {"value.py", "x = 2\n"}}));
  ASSERT_TRUE(bench.evaluator().adopt(baseline, {}));
  EXPECT_EQ(bench.evaluate({{"value.py", "x = 1\n"}}).verdict, Verdict::kPassed);
  EXPECT_EQ(bench.evaluate({{"value.py", "x = 3\n"}}).verdict, Verdict::kFailed);
}

}  // namespace
}  // namespace instar::engine
