#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/evaluation/report.h"

namespace instar::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Record = TestRecord;

template <class T>
std::string why_refused(const Result<T>& result) {
  return result ? "accepted" : result.error().message;
}

// ---- JUnit ----

TEST(JunitReport, ReadsNestedSuitesAndEveryOutcome) {
  const auto report = parse_junit(R"(<?xml version="1.0"?>
    <testsuites tests="6"><testsuite tests="6"><testsuite name="inner" tests="5">
      <testcase classname="a.B" name="passes"/>
      <testcase classname="a.B" name="fails"><failure message="x">text</failure></testcase>
      <testcase classname="a.B" name="breaks"><error/></testcase>
      <testcase classname="a.B" name="skips"><skipped/></testcase>
      <testcase classname="a.B" name="xfails"><skipped type="pytest.xfail"/></testcase>
    </testsuite><testcase name="off" status="notrun"/></testsuite></testsuites>)");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->tests, ElementsAre(Record{"a.B", "passes", TestOutcome::kPassed},
                                         Record{"a.B", "fails", TestOutcome::kFailed},
                                         Record{"a.B", "breaks", TestOutcome::kError},
                                         Record{"a.B", "skips", TestOutcome::kSkipped},
                                         Record{"a.B", "xfails", TestOutcome::kExpectedFail},
                                         Record{"", "off", TestOutcome::kSkipped}));
}

TEST(JunitReport, AFailureBesideASkipCountsAsAFailure) {
  for (const char* children : {"<skipped/><failure/>", "<failure/><skipped/>"}) {
    const auto report = parse_junit("<testsuite><testcase name='a'>" + std::string(children) +
                                    "</testcase></testsuite>");
    ASSERT_TRUE(report);
    EXPECT_EQ(report->tests.at(0).outcome, TestOutcome::kFailed);
  }
}

TEST(JunitReport, IgnoresFailureElementsInsideTheOutputOfATest) {
  const auto report = parse_junit(
      "<testsuite><testcase name='a'><system-out><failure/></system-out></testcase></testsuite>");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->tests.at(0).outcome, TestOutcome::kPassed);
}

TEST(JunitReport, RefusesADocumentTypeThoughTheSameReportWithoutItIsRead) {
  const std::string body = "<testsuite><testcase name='a'/></testsuite>";
  EXPECT_TRUE(parse_junit("<?xml version='1.0'?>" + body));
  EXPECT_THAT(
      why_refused(parse_junit("<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'b'>]>" + body)),
      HasSubstr("document type"));
  EXPECT_THAT(why_refused(parse_junit("<!DOCTYPE x SYSTEM 'file:///etc/passwd'>" + body)),
              HasSubstr("document type"));
}

TEST(JunitReport, RefusesACountThatDiffersFromTheCases) {
  EXPECT_TRUE(parse_junit("<testsuite tests='1'><testcase name='a'/></testsuite>"));
  EXPECT_THAT(why_refused(parse_junit("<testsuite tests='2'><testcase name='a'/></testsuite>")),
              HasSubstr("claims 2 tests and has 1"));
  EXPECT_THAT(why_refused(parse_junit("<testsuite tests='-1'><testcase name='a'/></testsuite>")),
              HasSubstr("not a number"));
}

TEST(JunitReport, RefusesRepeatedIdsButNotTheSameNameInAnotherClass) {
  EXPECT_TRUE(
      parse_junit("<testsuite><testcase classname='x' name='a'/>"
                  "<testcase classname='y' name='a'/></testsuite>"));
  EXPECT_THAT(why_refused(parse_junit("<testsuite><testcase classname='x' name='a'/>"
                                      "<testcase classname='x' name='a'/></testsuite>")),
              HasSubstr("twice"));
}

TEST(JunitReport, RefusesWhatIsCutEmptyOrOfAnotherKind) {
  EXPECT_FALSE(parse_junit(""));
  EXPECT_FALSE(parse_junit("<testsuite><testcase name='a'/>"));
  EXPECT_FALSE(parse_junit("<html><testcase name='a'/></html>"));
  EXPECT_FALSE(parse_junit("<testsuite><testcase/></testsuite>"));
  EXPECT_FALSE(parse_junit("<testsuite><testcase name='a\xff'/></testsuite>"));
  EXPECT_FALSE(
      parse_junit("<testsuite><testcase name='a'><testcase name='b'/></testcase></testsuite>"));
}

TEST(JunitReport, BoundsDepthCountNameAndSize) {
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += "<testsuite>";
    text += "<testcase name='a'/>";
    for (std::size_t i = 0; i < depth; ++i) text += "</testsuite>";
    return text;
  };
  EXPECT_TRUE(parse_junit(nested(kMaxReportDepth - 1)));
  EXPECT_THAT(why_refused(parse_junit(nested(kMaxReportDepth))), HasSubstr("too deep"));

  const auto cases = [](std::size_t count) {
    std::string text = "<testsuite>";
    for (std::size_t i = 0; i < count; ++i) text += "<testcase name='" + std::to_string(i) + "'/>";
    return text + "</testsuite>";
  };
  EXPECT_TRUE(parse_junit(cases(kMaxReportTests)));
  EXPECT_THAT(why_refused(parse_junit(cases(kMaxReportTests + 1))), HasSubstr("more than"));

  const auto named = [](std::size_t bytes) {
    return "<testsuite><testcase name='" + std::string(bytes, 'n') + "'/></testsuite>";
  };
  EXPECT_TRUE(parse_junit(named(kMaxReportNameBytes)));
  EXPECT_FALSE(parse_junit(named(kMaxReportNameBytes + 1)));
  EXPECT_FALSE(parse_junit(std::string(kMaxReportBytes + 1, ' ')));
}

// ---- TAP ----

TEST(TapReport, ReadsEveryOutcomeAndIgnoresSubtestsAndDiagnostics) {
  const auto report = parse_tap(
      "TAP version 14\n"
      "1..6\n"
      "# a comment\n"
      "ok 1 - adds\n"
      "    not ok 1 - inside a subtest\n"
      "not ok 2 - subtracts\n"
      "  ---\n  message: x\n  ...\n"
      "ok 3 divides # SKIP no divider\n"
      "not ok 4 - is fast # todo later\n"
      "ok 5 - has \\# TODO in its name\n"
      "ok\n");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->tests,
              ElementsAre(Record{"", "1 adds", TestOutcome::kPassed},
                          Record{"", "2 subtracts", TestOutcome::kFailed},
                          Record{"", "3 divides", TestOutcome::kSkipped},
                          Record{"", "4 is fast", TestOutcome::kExpectedFail},
                          Record{"", "5 has \\# TODO in its name", TestOutcome::kPassed},
                          Record{"", "6", TestOutcome::kPassed}));
}

TEST(TapReport, TakesThePlanAtTheEndToo) {
  EXPECT_TRUE(parse_tap("ok 1\nok 2\n1..2\n"));
  EXPECT_FALSE(parse_tap("ok 1\n1..2\nok 2\n"));
}

TEST(TapReport, ANotOkIsNeverMadeASkip) {
  const auto report = parse_tap("1..1\nnot ok 1 - a # SKIP\n");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->tests[0].outcome, TestOutcome::kFailed);
}

TEST(TapReport, RefusesWhatDisagreesWithItsPlan) {
  EXPECT_TRUE(parse_tap("1..2\nok 1\nok 2\n"));
  for (const char* text :
       {"ok 1\n", "1..2\nok 1\n", "1..1\nok 1\nok 2\n", "1..2\nok 1\nok 1\n", "1..2\nok 1\nok 3\n",
        "1..2\n1..2\nok 1\nok 2\n", "1..x\nok 1\n", "1..2\nok 0\nok 1\n", "1..2 3\nok 1\nok 2\n",
        "1..99999999999999999999\nok 1\n", "TAP version 99\n1..1\nok 1\n", "",
        "1..2\nok 1\nok 2" /* cut */, "1..2\nok 1\nBail out! no disk\n"}) {
    EXPECT_FALSE(parse_tap(text)) << text;
  }
}

TEST(TapReport, AnEmptyPlanIsAReportWithoutTests) {
  const auto report = parse_tap("1..0 # SKIP nothing to do\n");
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->tests.empty());
}

// ---- metrics ----

TEST(MetricsReport, ReadsNumbersAndOneLevelOfGroups) {
  const auto metrics = parse_metrics(R"({"score": 3, "loss": -0.5e1, "a": {"b": 1, "c.d": 2}})");
  ASSERT_TRUE(metrics) << metrics.error().message;
  EXPECT_EQ(*metrics, (Metrics{{"score", 3}, {"loss", -5}, {"a.b", 1}, {"a.c.d", 2}}));
}

TEST(MetricsReport, RefusesWhatIsNoFiniteNumber) {
  EXPECT_TRUE(parse_metrics(R"({"a": 1e18})"));
  for (const char* text : {R"({"a": NaN})",
                           R"({"a": Infinity})",
                           R"({"a": -Infinity})",
                           R"({"a": 1e999})",
                           R"({"a": 1e19})",
                           R"({"a": -1e300})",
                           R"({"a": "1"})",
                           R"({"a": true})",
                           R"({"a": null})",
                           R"({"a": [1]})",
                           R"([1])",
                           "1",
                           "",
                           "{}",
                           R"({"a": 1)",
                           R"({"a": 1} x)",
                           R"({"a": {"b": {"c": 1}}})",
                           R"({"": 1})",
                           R"({"a b": 1})",
                           R"({"a\u0000": 1})",
                           R"({"a": 184467440737095516160})"}) {
    EXPECT_FALSE(parse_metrics(text)) << text;
  }
  EXPECT_FALSE(parse_metrics("{\"a\xff\": 1}"));
}

TEST(MetricsReport, RefusesRepeatedKeysAlsoAcrossLevels) {
  EXPECT_TRUE(parse_metrics(R"({"a": 1, "b": 2})"));
  EXPECT_THAT(why_refused(parse_metrics(R"({"a": 1, "a": 2})")), HasSubstr("twice"));
  EXPECT_THAT(why_refused(parse_metrics(R"({"a": {"b": 1}, "a.b": 2})")), HasSubstr("twice"));
}

TEST(MetricsReport, BoundsCountDepthAndNames) {
  const auto many = [](std::size_t count) {
    std::string text = "{";
    for (std::size_t i = 0; i < count; ++i) {
      text += (i == 0 ? "" : ",") + std::string("\"m") + std::to_string(i) + "\":1";
    }
    return text + "}";
  };
  EXPECT_TRUE(parse_metrics(many(kMaxReportMetrics)));
  EXPECT_FALSE(parse_metrics(many(kMaxReportMetrics + 1)));
  EXPECT_FALSE(parse_metrics(std::string(1 << 20, '[')));
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
  EXPECT_FALSE(parse_metrics(deep));
  EXPECT_FALSE(parse_metrics("{\"" + std::string(1000, 'a') + "\":1}"));
}

RC_GTEST_PROP(MetricsReport, WhatItAcceptsIsFiniteAndNamed, (const std::string& text)) {
  const auto metrics = parse_metrics(text);
  if (!metrics) return;
  for (const auto& [name, value] : *metrics) {
    RC_ASSERT(!name.empty());
    RC_ASSERT(std::isfinite(value));
  }
}

// ---- pytest stream ----

constexpr std::string_view kStart = R"({"type":"start","ids":["a.py::x","a.py::y"]})"
                                    "\n";
constexpr std::string_view kX = R"({"type":"test","id":"a.py::x","outcome":"passed","cpu_s":0.5})"
                                "\n";
constexpr std::string_view kY = R"({"type":"test","id":"a.py::y","outcome":"timeout","cpu_s":2})"
                                "\n";

std::string stream(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const auto part : parts) text += part;
  return text;
}

TEST(PytestReport, ReadsACompleteStream) {
  const auto report =
      parse_pytest_stream(stream({kStart, kX, kY, "{\"type\":\"end\",\"exit\":1,\"tests\":2}\n"}));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->incomplete, "");
  EXPECT_EQ(report->exit_status, 1);
  EXPECT_DOUBLE_EQ(report->slowest_test_cpu_s, 0.5);
  EXPECT_DOUBLE_EQ(report->timed_out_cpu_s, 2);
  EXPECT_THAT(report->tests, ElementsAre(Record{"a.py", "x", TestOutcome::kPassed},
                                         Record{"a.py", "y", TestOutcome::kTimeout}));
  EXPECT_EQ(report->collected.size(), 2U);
}

TEST(PytestReport, AStreamWithoutItsEndKeepsWhatItToldAndIsIncomplete) {
  for (const std::string& text : {stream({kStart, kX}), stream({kStart, kX, kY.substr(0, 20)})}) {
    const auto report = parse_pytest_stream(text);
    ASSERT_TRUE(report);
    EXPECT_NE(report->incomplete, "");
    EXPECT_THAT(report->tests, ElementsAre(Record{"a.py", "x", TestOutcome::kPassed}));
    EXPECT_EQ(report->collected.size(), 2U);
  }
  const auto empty = parse_pytest_stream("");
  ASSERT_TRUE(empty);
  EXPECT_NE(empty->incomplete, "");
}

TEST(PytestReport, RefusesWhatThePluginDoesNotWrite) {
  const std::string_view end = "{\"type\":\"end\",\"exit\":0,\"tests\":1}\n";
  EXPECT_TRUE(parse_pytest_stream(stream({kStart, kX, end})));
  for (const std::string& text :
       {stream({kX, end}),              // ended without having been collected
        stream({kStart, kStart, kX}),   // two sessions
        stream({kStart, kX, kX}),       // the same test twice
        stream({kStart, kX, end, kY}),  // a record after the last
        stream({kStart, end}),          // the count disagrees
        stream({kStart, "not json\n"}), stream({kStart, "[]\n"}), stream({"{\"type\":\"what\"}\n"}),
        stream({"{\"type\":\"start\"}\n"}), stream({"{\"type\":\"start\",\"ids\":[1]}\n"}),
        stream({kStart, R"({"type":"test","id":"a.py::x","outcome":"great","cpu_s":0})", "\n"}),
        stream({kStart, R"({"type":"test","id":"a.py::x","outcome":"passed","cpu_s":-1})", "\n"}),
        stream({kStart, R"({"type":"test","id":"a.py::x","outcome":"passed"})", "\n"}),
        stream({kStart, kX, "{\"type\":\"end\",\"exit\":-1,\"tests\":1}\n"}),
        std::string("{\"type\":\"start\",\"ids\":[\"\xff\"]}\n"),
        std::string(1 << 16, '[') + "\n"}) {
    EXPECT_FALSE(parse_pytest_stream(text)) << text.substr(0, 200);
  }
}

TEST(TestList, ReadsIdsUpToTheFirstEmptyLine) {
  const auto ids = parse_test_list("a.py::x\nplain\na.py::C::y[1::2]\n\n3 tests collected\n");
  ASSERT_TRUE(ids);
  EXPECT_THAT(*ids,
              ElementsAre(Record{"a.py", "x"}, Record{"", "plain"}, Record{"a.py", "C::y[1::2]"}));
  EXPECT_FALSE(parse_test_list(""));
  EXPECT_FALSE(parse_test_list("a\na\n"));
}

// ---- all of them, on anything ----

RC_GTEST_PROP(Reports, NoTextBreaksAParser, (const std::string& text)) {
  (void)parse_junit(text).has_value();
  (void)parse_tap(text).has_value();
  (void)parse_metrics(text).has_value();
  (void)parse_pytest_stream(text).has_value();
  (void)parse_test_list(text).has_value();
  RC_SUCCEED();
}

RC_GTEST_PROP(JunitReport, ACutReportIsNeverAccepted, ()) {
  const std::string whole =
      "<testsuite tests='2'><testcase name='a'/><testcase "
      "name='b'><failure/></testcase></testsuite>";
  const auto length = *rc::gen::inRange<std::size_t>(0, whole.size());
  RC_ASSERT(parse_junit(whole).has_value());
  RC_ASSERT(!parse_junit(whole.substr(0, length)).has_value());
}

RC_GTEST_PROP(TapReport, ACutReportIsNeverAccepted, ()) {
  const std::string whole = "TAP version 13\n1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c\n";
  const auto length = *rc::gen::inRange<std::size_t>(0, whole.size());
  RC_ASSERT(parse_tap(whole).has_value());
  RC_ASSERT(!parse_tap(whole.substr(0, length)).has_value());
}

}  // namespace
}  // namespace instar::engine
