#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/evaluation/compare.h"
#include "tests/support/evaluation_bench.h"

namespace instar::engine {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::EvaluationBench;
using testing_support::Files;
using testing_support::stage;

/// A stage whose command is a script of the variant, so that each test says in shell what happens.
Stage scripted(ReportKind kind = ReportKind::kExitCode, const std::string& file = {}) {
  return stage("run", "sh ./run.sh", kind, file);
}

// ---- reports against exit status ----

constexpr const char* kJunitPassed =
    "cat > $INSTAR_OUT/r.xml <<'X'\n<testsuite tests='2'><testcase name='a'/>"
    "<testcase name='b'/></testsuite>\nX\n";
constexpr const char* kJunitFailed =
    "cat > $INSTAR_OUT/r.xml <<'X'\n<testsuite tests='2'><testcase name='a'/>"
    "<testcase name='b'><failure/></testcase></testsuite>\nX\n";

class JunitStage : public testing::Test {
 protected:
  void SetUp() override {
    bench.target.evaluate = {scripted(ReportKind::kJunit, "r.xml")};
    ASSERT_TRUE(bench.measure({{"run.sh", std::string(kJunitFailed) + "exit 1\n"}}));
    ASSERT_EQ(bench.baseline.evaluation.metrics.at("tests.failed"), 1);
  }
  Evaluation run(const std::string& script) { return bench.evaluate({{"run.sh", script}}); }
  EvaluationBench bench;
};

TEST_F(JunitStage, ACompleteReportWithExitZeroPasses) {
  const auto passed = run(kJunitPassed);
  EXPECT_EQ(passed.verdict, Verdict::kPassed) << passed.reason;
  EXPECT_EQ(passed.metrics.at("tests.failed"), 0);
}

TEST_F(JunitStage, AFailingExitWithACompleteReportIsAMeasuredResult) {
  const auto failed = run(std::string(kJunitFailed) + "exit 3\n");
  EXPECT_EQ(failed.verdict, Verdict::kFailed);
  EXPECT_EQ(failed.metrics.at("tests.failed"), 1);
  EXPECT_EQ(failed.metrics.at("stages.failed"), 1);
}

TEST_F(JunitStage, AReportAtOddsWithTheExitStatusIsNeverAPass) {
  const auto all_pass_but_exit = run(std::string(kJunitPassed) + "exit 1\n");
  EXPECT_EQ(all_pass_but_exit.verdict, Verdict::kFailed);
  EXPECT_EQ(all_pass_but_exit.metrics.at("tests.failed"), 2);
  EXPECT_THAT(all_pass_but_exit.reason, HasSubstr("not believed"));

  const auto fails_but_zero = run(kJunitFailed);
  EXPECT_EQ(fails_but_zero.verdict, Verdict::kFailed);
  EXPECT_EQ(fails_but_zero.metrics.at("tests.failed"), 1);
}

TEST_F(JunitStage, AReportThatCannotBeUsedCountsEveryTest) {
  for (const char* script :
       {"true\n", "echo '<testsuite>' > $INSTAR_OUT/r.xml\n",
        "ln -s /etc/passwd $INSTAR_OUT/r.xml\n", "mkdir $INSTAR_OUT/r.xml\n",
        "mkfifo $INSTAR_OUT/r.xml\n",
        "printf '<!DOCTYPE a [<!ENTITY x \"y\">]><testsuite><testcase name=\"a\"/>"
        "<testcase name=\"b\"/></testsuite>' > $INSTAR_OUT/r.xml\n",
        "head -c 20000000 /dev/zero > $INSTAR_OUT/r.xml\n",
        "seq -f '<testcase name=\"%.0f\"/>' 1 150000 > x; (echo '<testsuite>'; cat x; echo "
        "'</testsuite>') > $INSTAR_OUT/r.xml\n"}) {
    const auto unusable = run(script);
    EXPECT_EQ(unusable.verdict, Verdict::kFailed) << script;
    EXPECT_EQ(unusable.metrics.at("tests.failed"), 2) << script;
    EXPECT_THAT(unusable.reason, HasSubstr("r.xml cannot be used")) << script;
  }
}

TEST_F(JunitStage, VanishedAndAddedTestsAreAViolationOnlyWithAClaimOfSuccess) {
  const std::string fewer =
      "echo '<testsuite><testcase name=\"a\"/></testsuite>' > $INSTAR_OUT/r.xml\n";
  EXPECT_EQ(run(fewer).verdict, Verdict::kViolated);
  const auto more =
      run("echo '<testsuite><testcase name=\"a\"/><testcase name=\"b\"/><testcase name=\"c\"/>"
          "</testsuite>' > $INSTAR_OUT/r.xml\n");
  EXPECT_EQ(more.verdict, Verdict::kViolated);
  EXPECT_THAT(more.reason, HasSubstr("c is no test of the base"));
  const auto honest = run(
      "echo '<testsuite><testcase name=\"a\"><error/></testcase></testsuite>' > $INSTAR_OUT/r.xml; "
      "exit 1\n");
  EXPECT_EQ(honest.verdict, Verdict::kFailed);
  EXPECT_EQ(honest.metrics.at("tests.failed"), 2);
}

TEST(TapStage, TheSameRulesHold) {
  EvaluationBench bench;
  bench.target.evaluate = {scripted(ReportKind::kTap, "t.tap")};
  ASSERT_TRUE(bench.measure(
      {{"run.sh", "printf '1..2\\nok 1 - a\\nnot ok 2 - b\\n' > $INSTAR_OUT/t.tap; exit 1"}}));
  const auto run = [&](const std::string& tap) {
    return bench.evaluate({{"run.sh", "printf '" + tap + "' > $INSTAR_OUT/t.tap"}});
  };
  EXPECT_EQ(run("1..2\\nok 1 - a\\nok 2 - b\\n").verdict, Verdict::kPassed);
  EXPECT_EQ(run("1..2\\nok 1 - a\\n").verdict, Verdict::kFailed);
  EXPECT_EQ(run("1..1\\nok 1 - a\\n").verdict, Verdict::kViolated);
  EXPECT_EQ(run("1..2\\nok 1 - a\\nok 2 - b # SKIP\\n").verdict, Verdict::kViolated);
}

TEST(MetricsStage, NamesAreTakenBelowTheStageAndMeasuredOnesAreRefused) {
  EvaluationBench bench;
  bench.target.evaluate = {scripted(ReportKind::kMetrics, "m.json")};
  bench.target.objectives = {{.goal = Objective::Goal::kMaximize,
                              .metric = "run.score",
                              .noise = std::nullopt,
                              .until = std::nullopt}};
  const auto script = [](const std::string& json) {
    return Files{{"run.sh", "echo '" + json + "' > $INSTAR_OUT/m.json"}};
  };
  ASSERT_TRUE(bench.measure(script(R"({"score": 1})")));
  const auto better = bench.evaluate(script(R"({"score": 2, "a": {"b": 3}})"));
  EXPECT_EQ(better.verdict, Verdict::kPassed);
  EXPECT_EQ(better.metrics.at("run.score"), 2);
  EXPECT_EQ(better.metrics.at("run.a.b"), 3);
  EXPECT_EQ(compare(bench.target.objectives, better, bench.baseline.evaluation).result,
            Comparison::Result::kBetter);
  for (const char* json :
       {R"({"score": NaN})", R"({"score": 2, "cpu_s": 0})", R"({"score": 1e400})",
        R"({"score": 2, "score": 3})", R"({"score": 2, "x": {"wall_s": 1}})"}) {
    const auto refused = bench.evaluate(script(json));
    EXPECT_EQ(refused.verdict, Verdict::kFailed) << json;
    EXPECT_FALSE(refused.metrics.contains("run.score")) << json;
    EXPECT_TRUE(refused.metrics.contains("run.cpu_s")) << json;
    EXPECT_EQ(compare(bench.target.objectives, refused, bench.baseline.evaluation).result,
              Comparison::Result::kWorse);
  }
}

// ---- the cascade ----

TEST(Cascade, AFailingStageEndsItAndTheWorkspaceCarriesForward) {
  EvaluationBench bench;
  bench.target.evaluate = {stage("build", "cat src > built"),
                           stage("check", "grep -q good built && echo '{\"n\": 4}' > $INSTAR_OUT/m",
                                 ReportKind::kMetrics, "m"),
                           stage("last", "test ! -e $INSTAR_OUT/m")};
  ASSERT_TRUE(bench.measure({{"src", "good"}}));
  EXPECT_EQ(bench.baseline.evaluation.verdict, Verdict::kPassed);

  const auto good = bench.evaluate({{"src", "very good"}});
  EXPECT_EQ(good.verdict, Verdict::kPassed) << good.stage << good.reason;
  EXPECT_EQ(good.metrics.at("check.n"), 4);

  const auto bad = bench.evaluate({{"src", "worse"}});
  EXPECT_EQ(bad.verdict, Verdict::kFailed);
  EXPECT_EQ(bad.stage, "check");
  EXPECT_TRUE(bad.metrics.contains("build.cpu_s"));
  EXPECT_FALSE(bad.metrics.contains("check.n"));
  EXPECT_FALSE(bad.metrics.contains("last.cpu_s"));
  EXPECT_EQ(bad.metrics.at("stages.failed"), 2);
}

TEST(Cascade, AStageThatNeverEndsIsATimeoutByCpuAndByTheClock) {
  EvaluationBench bench;
  bench.target.evaluate = {scripted()};
  ASSERT_TRUE(bench.measure({{"run.sh", "true\n"}}));
  const auto spins = bench.evaluate({{"run.sh", "while :; do :; done\n"}});
  EXPECT_EQ(spins.verdict, Verdict::kTimeout) << spins.reason;
  EXPECT_LT(spins.metrics.at("cpu_s"), 3);
  const auto sleeps = bench.evaluate({{"run.sh", "sleep 1000\n"}});
  EXPECT_EQ(sleeps.verdict, Verdict::kTimeout) << sleeps.reason;
  EXPECT_LT(sleeps.metrics.at("wall_s"), 10);
}

TEST(Cascade, AFloodOfOutputIsBoundedAndNoVerdict) {
  EvaluationBench bench;
  bench.target.evaluate = {scripted()};
  bench.target.evaluate[0].timeout = std::chrono::seconds(15);
  ASSERT_TRUE(bench.measure({{"run.sh", "head -c 200000000 /dev/zero >/dev/null; true\n"}}));
  const auto loud = bench.evaluate(
      {{"run.sh", "head -c 200000000 /dev/zero; printf '\\033[2Jlast words'; exit 1\n"}});
  EXPECT_EQ(loud.verdict, Verdict::kFailed) << loud.reason;
  EXPECT_LE(loud.output_excerpt.size(), 8192U);
  EXPECT_THAT(loud.output_excerpt, HasSubstr("\\x1b[2Jlast words"));
}

TEST(Cascade, ACallThatOnlyAnAttackMakesIsAViolation) {
  EvaluationBench bench;
  bench.target.evaluate = {stage("run", "/usr/bin/python3 a.py")};
  // Machine code of six bytes and a return; in the attack they make a 32-bit system call.
  const auto program = [](const std::string& code) {
    return Files{{"a.py", "import ctypes, mmap\nm = mmap.mmap(-1, 4096, prot=7)\nm.write(b'" +
                              code +
                              "\\xc3')\nctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof("
                              "ctypes.c_char.from_buffer(m)))()\n"}};
  };
  ASSERT_TRUE(bench.measure(program("\\xb8\\x14\\x00\\x00\\x00\\x90")));
  EXPECT_EQ(bench.baseline.evaluation.verdict, Verdict::kPassed);
  const auto hostile = bench.evaluate(program("\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80"));
  EXPECT_EQ(hostile.verdict, Verdict::kViolated) << hostile.reason;
}

TEST(Cascade, AStoppedEvaluationIsInfra) {
  EvaluationBench bench;
  bench.target.evaluate = {scripted()};
  ASSERT_TRUE(bench.measure({{"run.sh", "true\n"}}));
  std::stop_source stop;
  stop.request_stop();
  EvaluationRequest request;
  request.tree = bench.variant({{"run.sh", "sleep 5\n"}});
  EXPECT_EQ(bench.evaluator().evaluate(request, stop.get_token()).verdict, Verdict::kInfra);
}

// ---- base ----

TEST(Base, PreparesOnceBelowEveryVariant) {
  EvaluationBench bench;
  bench.target.prepare = {"mkdir made && echo once > made/x"};
  bench.target.evaluate = {stage("run", "grep -q once made/x && sh ./run.sh")};
  ASSERT_TRUE(bench.measure({{"run.sh", "true\n"}}));
  EXPECT_EQ(bench.evaluate({{"run.sh", "exit 0\n"}}).verdict, Verdict::kPassed);
  EXPECT_EQ(bench.evaluate({{"run.sh", "exit 1\n"}}).verdict, Verdict::kFailed);
}

TEST(Base, AVariantAcrossWhatPrepareMadeFailsByItself) {
  EvaluationBench bench;
  bench.target.prepare = {
      "mkdir made && echo once > made/x && ln -s made link && rm old && "
      "mkdir old && touch old/y"};
  bench.target.evaluate = {stage("run", "test -e made/x")};
  ASSERT_TRUE(bench.measure({{"run.sh", "true\n"}, {"old", "o"}}));
  for (const char* path : {"made", "made/x/y", "link/y", "old"}) {
    const auto across = bench.evaluate({{path, "mine"}});
    EXPECT_EQ(across.verdict, Verdict::kFailed) << path << ": " << across.reason;
    EXPECT_THAT(across.reason, HasSubstr("what `prepare` made")) << path;
  }
  const std::vector<checkpoints::TreeChange> removal{{.path = "old", .content = std::nullopt}};
  const auto removes = bench.evaluate_tree(bench.store.with_changes(bench.base(), removal).value());
  EXPECT_EQ(removes.verdict, Verdict::kFailed) << removes.reason;
  // What fits is laid over it: a file for a file, a new one beside it.
  EXPECT_EQ(bench.evaluate({{"made/x", "mine"}, {"made/z", "mine"}}).verdict, Verdict::kPassed);
}

TEST(Base, ABaseThatCannotServeIsOneClearError) {
  const auto refusal = [](auto&& configure, const Files& files) {
    EvaluationBench bench;
    configure(bench.target);
    return bench.refusal(files);
  };
  EXPECT_THAT(
      refusal([](Target& t) { t.prepare = {"echo why >&2; exit 4"}; }, {{"run.sh", "true\n"}}),
      testing::AllOf(HasSubstr("cannot be prepared"), HasSubstr("exited with 4"),
                     HasSubstr("why")));
  EXPECT_THAT(refusal([](Target& t) { t.evaluate = {scripted(ReportKind::kJunit, "r.xml")}; },
                      {{"run.sh", "echo no such tool >&2; exit 127\n"}}),
              testing::AllOf(HasSubstr("no test id"), HasSubstr("instar.yaml:5"),
                             HasSubstr("exited with 127"), HasSubstr("no such tool")));
  EXPECT_THAT(refusal(
                  [](Target& t) {
                    t.evaluate = {stage("build", "echo broken >&2; false"),
                                  scripted(ReportKind::kJunit, "r.xml")};
                  },
                  {{"run.sh", kJunitPassed}}),
              testing::AllOf(HasSubstr("never reached"), HasSubstr("broken")));
  EXPECT_THAT(refusal(
                  [](Target& t) {
                    t.evaluate = {scripted()};
                    t.sealed = {{.value = "tests/**", .source = "instar.yaml:4"}};
                  },
                  {{"run.sh", "echo x >> tests/a\n"}, {"tests/a", "1"}}),
              HasSubstr("tests/a was changed"));
  EXPECT_THAT(refusal([](Target& t) { t.evaluate = {scripted()}; },
                      {{"run.sh", "exit $(( $(od -An -N1 -tu1 /dev/urandom) > 127 ))\n"},
                       {".instar/x", ""}}),
              HasSubstr("reserved"));
}

TEST(Base, OurOwnFailureKeepsItsKindAndItsHint) {
  // The loader refuses the first; here nothing stands before the cell.
  const auto error_of = [](auto&& configure) {
    EvaluationBench bench;
    bench.target.evaluate = {scripted()};
    configure(bench);
    if (!bench.open({{"run.sh", "true\n"}})) return Error();
    const auto measured = bench.evaluator().baseline({});
    return measured ? Error() : measured.error();
  };
  const Error loader = error_of([](EvaluationBench& bench) {
    bench.target.env = {{"LD_PRELOAD", "x"}};
  });
  EXPECT_EQ(loader.code, ErrorCode::kInvalidInput) << loader.message;
  EXPECT_THAT(loader.message, testing::AllOf(HasSubstr("stage run"), HasSubstr("LD_PRELOAD")));
  EXPECT_THAT(loader.hint, HasSubstr("in the command"));
  const Error large = error_of([](EvaluationBench& bench) {
    bench.target.evaluate[0].command = "true #" + std::string(200 * 1024, 'x');
  });
  EXPECT_EQ(large.code, ErrorCode::kInvalidInput) << large.message;
}

TEST(Base, WhatTheBaseItselfCreatesAmongTheSealedFilesIsAllowed) {
  EvaluationBench bench;
  bench.target.sealed = {{.value = "tests/**", .source = "instar.yaml:4"}};
  bench.target.evaluate = {stage("build",
                                 "cp prog tests/runner && mkdir tests/__pycache__ && "
                                 "echo x > tests/__pycache__/a.pyc"),
                           stage("run", "test ! -e tests/__pycache__/a.pyc && sh tests/runner")};
  ASSERT_TRUE(bench.measure({{"prog", "true\n"}, {"tests/a", "1"}}));
  EXPECT_THAT(bench.baseline.stage_created, ElementsAre("tests/__pycache__/a.pyc", "tests/runner"));
  EXPECT_EQ(bench.evaluate({{"prog", "exit 0\n"}}).verdict, Verdict::kPassed);
  const auto more = bench.evaluate({{"prog", "touch tests/b\n"}});
  EXPECT_EQ(more.verdict, Verdict::kViolated);
  EXPECT_THAT(more.reason, HasSubstr("tests/b"));
}

}  // namespace
}  // namespace instar::engine
