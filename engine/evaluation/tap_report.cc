#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/text.h"
#include "engine/evaluation/report_bounds.h"

namespace instar::engine {

namespace {

std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  const std::string_view rest = text.substr(word.size());
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\t') return false;
  text = trim(rest);
  return true;
}

struct Description {
  std::string_view text;
  bool todo = false;
  bool skip = false;
};

/// Splits "adds # TODO later" at the first `#` that is not escaped and begins a directive.
Description split_directive(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      continue;
    }
    if (text[i] != '#') continue;
    const std::string_view directive = trim(text.substr(i + 1));
    const bool todo = starts_with_any_case(directive, "todo");
    const bool skip = starts_with_any_case(directive, "skip");
    if (todo || skip) return {.text = trim(text.substr(0, i)), .todo = todo, .skip = skip};
  }
  return {.text = text};
}

class TapReader {
 public:
  Result<void> line(std::string_view text) {
    // An indented line belongs to a subtest or a diagnostic block; the test point of its parent
    // sums it up.
    if (text.empty() || text.front() == ' ' || text.front() == '\t' || text.front() == '#') {
      return {};
    }
    if (starts_with_any_case(text, "bail out!")) {
      return bad_report("the tests bailed out: " + escape_for_terminal(trim(text.substr(9))));
    }
    if (text.starts_with("1..")) return plan(text.substr(3));
    if (take_word(text, "not ok")) return test(false, text);
    if (take_word(text, "ok")) return test(true, text);
    return {};  // the protocol says: an unknown line is no part of the report
  }

  Result<std::vector<TestRecord>> finish() {
    if (!planned_) return bad_report("it has no plan (1..N): it may be cut");
    if (*planned_ != tests_.size()) {
      return bad_report("it plans " + std::to_string(*planned_) + " tests and has " +
                        std::to_string(tests_.size()));
    }
    if (!numbers_.empty() && *numbers_.rbegin() != *planned_) {
      return bad_report("a test has a number that is not in the plan");
    }
    return tests_.take();
  }

 private:
  Result<void> plan(std::string_view rest) {
    if (planned_) return bad_report("it has two plans");
    planned_ = take_number(rest);
    if (!planned_) return bad_report("its plan is not 1..N");
    rest = trim(rest);
    if (!rest.empty() && rest.front() != '#') return bad_report("its plan is not 1..N");
    plan_after_tests_ = tests_.size() > 0;
    return {};
  }

  Result<void> test(bool ok, std::string_view rest) {
    if (plan_after_tests_) return bad_report("a test follows the plan that ended the report");
    const std::size_t number = take_number(rest).value_or(last_number_ + 1);
    if (number == 0 || number > kMaxReportTests)
      return bad_report("a test's number is out of range");
    if (!numbers_.insert(number).second) {
      return bad_report("the test number " + std::to_string(number) + " stands in it twice");
    }
    last_number_ = number;
    rest = trim(rest);
    if (rest.starts_with("- ")) rest = trim(rest.substr(2));
    const Description description = split_directive(rest);
    TestOutcome outcome = ok ? TestOutcome::kPassed : TestOutcome::kFailed;
    if (ok && description.skip) outcome = TestOutcome::kSkipped;
    if (!ok && description.todo) outcome = TestOutcome::kExpectedFail;
    std::string name = std::to_string(number);
    if (!description.text.empty()) name += " " + escape_for_terminal(description.text);
    return tests_.add({.classname = {}, .name = std::move(name), .outcome = outcome});
  }

  std::optional<std::size_t> planned_;
  bool plan_after_tests_ = false;
  std::size_t last_number_ = 0;
  std::set<std::size_t> numbers_;
  TestCollector tests_;
};

}  // namespace

Result<TestReport> parse_tap(std::string_view text) {
  INSTAR_CHECK(check_report_size(text));
  if (text.empty()) return bad_report("it is empty");
  if (text.back() != '\n') return bad_report("its last line has no end: it may be cut");
  text.remove_suffix(1);
  TapReader reader;
  bool first = true;
  while (!text.empty() || first) {
    const auto at = text.find('\n');
    std::string_view line = text.substr(0, at);
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (std::string_view version = line; first && take_word(version, "TAP version")) {
      if (version != "12" && version != "13" && version != "14") {
        return bad_report("its TAP version is not 12, 13 or 14");
      }
    } else {
      INSTAR_CHECK(reader.line(line));
    }
    first = false;
  }
  TestReport report;
  report.tests = INSTAR_TRY(reader.finish());
  return report;
}

}  // namespace instar::engine
