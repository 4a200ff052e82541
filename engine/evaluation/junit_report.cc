#include <expat.h>

#include <charconv>
#include <memory>
#include <optional>

#include "engine/evaluation/report_bounds.h"

namespace instar::engine {

namespace {

/// The value of an attribute, or nothing.
std::optional<std::string_view> attribute(const XML_Char** attributes, std::string_view name) {
  for (; *attributes != nullptr; attributes += 2) {
    if (name == attributes[0]) return std::string_view(attributes[1]);
  }
  return std::nullopt;
}

struct OpenSuite {
  std::optional<std::size_t> claimed;  ///< its `tests=`
  std::size_t tests_before = 0;
};

/// The state of one streaming parse. The first fault stops it.
class JunitReader {
 public:
  explicit JunitReader(XML_Parser parser) : parser_(parser) {}

  void start(std::string_view element, const XML_Char** attributes) {
    if (++depth_ > kMaxReportDepth) return stop("its elements nest too deep");
    if (depth_ == 1 && element != "testsuites" && element != "testsuite") {
      return stop("it is not a JUnit report: its root is neither testsuites nor testsuite");
    }
    if (element == "testsuites" || element == "testsuite") {
      open_suite(attributes);
    } else if (element == "testcase") {
      open_case(attributes);
    } else if (current_ && depth_ == case_depth_ + 1) {
      outcome_of_child(element, attributes);
    }
  }

  void end(std::string_view element) {
    --depth_;
    if (element == "testsuites" || element == "testsuite") {
      close_suite();
    } else if (element == "testcase" && current_) {
      if (auto added = tests_.add(*std::exchange(current_, std::nullopt)); !added) {
        stop(added.error().message);
      }
    }
  }

  void doctype() {
    // Entities are how a small file becomes gigabytes; no honest report has a document type.
    stop("it has a document type declaration, which is refused");
  }

  [[nodiscard]] const std::string& fault() const { return fault_; }
  std::vector<TestRecord> take() { return tests_.take(); }

 private:
  void open_suite(const XML_Char** attributes) {
    if (current_) return stop("a suite stands inside a test case");
    OpenSuite suite{.claimed = std::nullopt, .tests_before = tests_.size()};
    if (const auto text = attribute(attributes, "tests")) {
      std::size_t count = 0;
      const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), count);
      if (error != std::errc{} || end != text->data() + text->size()) {
        return stop("the tests= of a suite is not a number");
      }
      suite.claimed = count;
    }
    suites_.push_back(suite);
  }

  void close_suite() {
    if (suites_.empty()) return;
    const OpenSuite suite = suites_.back();
    suites_.pop_back();
    const std::size_t found = tests_.size() - suite.tests_before;
    if (suite.claimed && *suite.claimed != found) {
      stop("a suite claims " + std::to_string(*suite.claimed) + " tests and has " +
           std::to_string(found));
    }
  }

  void open_case(const XML_Char** attributes) {
    if (current_) return stop("a test case stands inside another one");
    TestRecord test{.classname = std::string(attribute(attributes, "classname").value_or("")),
                    .name = std::string(attribute(attributes, "name").value_or("")),
                    .outcome = TestOutcome::kPassed};
    // gtest and ctest mark a test that did not run by an attribute, not by a child.
    const auto status = attribute(attributes, "status").value_or("");
    const auto result = attribute(attributes, "result").value_or("");
    if (status == "notrun" || status == "disabled" || result == "suppressed" ||
        result == "skipped") {
      test.outcome = TestOutcome::kSkipped;
    } else if (status == "fail") {
      test.outcome = TestOutcome::kFailed;
    }
    current_ = std::move(test);
    case_depth_ = depth_;
  }

  /// The worst child decides: a case that is skipped and failed has failed.
  void outcome_of_child(std::string_view element, const XML_Char** attributes) {
    TestOutcome& outcome = current_->outcome;
    const bool bad = outcome == TestOutcome::kFailed || outcome == TestOutcome::kError;
    if (element == "error") {
      outcome = TestOutcome::kError;
    } else if (element == "failure" && outcome != TestOutcome::kError) {
      outcome = TestOutcome::kFailed;
    } else if (element == "skipped" && !bad) {
      outcome = attribute(attributes, "type") == "pytest.xfail" ? TestOutcome::kExpectedFail
                                                                : TestOutcome::kSkipped;
    }
  }

  void stop(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
    XML_StopParser(parser_, XML_FALSE);
  }

  XML_Parser parser_;
  std::size_t depth_ = 0;
  std::size_t case_depth_ = 0;
  std::vector<OpenSuite> suites_;
  std::optional<TestRecord> current_;
  TestCollector tests_;
  std::string fault_;
};

JunitReader& reader(void* data) { return *static_cast<JunitReader*>(data); }

void on_start(void* data, const XML_Char* element, const XML_Char** attributes) {
  reader(data).start(element, attributes);
}
void on_end(void* data, const XML_Char* element) { reader(data).end(element); }
void on_doctype(void* data, const XML_Char* /*name*/, const XML_Char* /*system_id*/,
                const XML_Char* /*public_id*/, int /*has_internal_subset*/) {
  reader(data).doctype();
}

}  // namespace

Result<TestReport> parse_junit(std::string_view text) {
  INSTAR_CHECK(check_report_size(text));
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate(nullptr), &XML_ParserFree);
  if (!parser) return fail(ErrorCode::kInternal, "cannot make an XML parser");
  JunitReader state(parser.get());
  XML_SetUserData(parser.get(), &state);
  XML_SetElementHandler(parser.get(), &on_start, &on_end);
  XML_SetStartDoctypeDeclHandler(parser.get(), &on_doctype);
  const XML_Status status =
      XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
  if (!state.fault().empty()) return bad_report(state.fault());
  if (status != XML_STATUS_OK) {
    return bad_report("it is not well-formed XML: " +
                      std::string(XML_ErrorString(XML_GetErrorCode(parser.get()))) + " at line " +
                      std::to_string(XML_GetCurrentLineNumber(parser.get())));
  }
  TestReport report;
  report.tests = state.take();
  return report;
}

}  // namespace instar::engine
