#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "engine/evaluation/report_bounds.h"

namespace instar::engine {

namespace {

using nlohmann::json;

std::optional<TestOutcome> outcome_of(std::string_view word) {
  if (word == "passed") return TestOutcome::kPassed;
  if (word == "failed") return TestOutcome::kFailed;
  if (word == "error") return TestOutcome::kError;
  if (word == "skipped") return TestOutcome::kSkipped;
  if (word == "xfail") return TestOutcome::kExpectedFail;
  if (word == "timeout") return TestOutcome::kTimeout;
  return std::nullopt;
}

/// One pass over the records: start, then tests, then end; nothing after it.
class StreamReader {
 public:
  Result<void> record(const json& record) {
    const std::string type = text_of(record, "type");
    if (type.empty()) return bad_report("a record has no type");
    if (ended_) return bad_report("a record follows the last one: more than one pytest session?");
    if (type == "start") return start(record);
    if (type == "collect_error") return collect_error(record);
    if (type == "test") return test(record);
    if (type == "end") return end(record);
    return bad_report("a record has the unknown type '" + escape_for_terminal(type) + "'");
  }

  TestReport finish() {
    report_.tests = tests_.take();
    if (!ended_ && report_.incomplete.empty()) {
      report_.incomplete = "pytest died before its last record";
    }
    return std::move(report_);
  }

  void cut() { report_.incomplete = "its last record is cut"; }

 private:
  static std::string text_of(const json& record, const char* key) {
    const auto found = record.find(key);
    return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
  }

  Result<void> start(const json& record) {
    if (started_) return bad_report("it has two start records: more than one pytest session?");
    started_ = true;
    const auto ids = record.find("ids");
    if (ids == record.end() || !ids->is_array()) return bad_report("its start record has no ids");
    TestCollector collected;
    for (const json& id : *ids) {
      if (!id.is_string()) return bad_report("an id in its start record is not a text");
      INSTAR_CHECK(collected.add(split_test_id(id.get<std::string>())));
      announced_.insert(id.get<std::string>());
    }
    report_.collected = collected.take();
    return {};
  }

  Result<void> collect_error(const json& record) {
    if (report_.collect_errors.size() == kMaxReportTests) return bad_report("too many records");
    report_.collect_errors.push_back(text_of(record, "id").substr(0, kMaxReportNameBytes));
    return {};
  }

  Result<void> test(const json& record) {
    const std::string id = text_of(record, "id");
    // Only tests that were collected can end: a record out of thin air is a forgery.
    if (!announced_.contains(id)) {
      return bad_report("the test " + escape_for_terminal(id.substr(0, 200)) +
                        " ended without having been collected");
    }
    const auto outcome = outcome_of(text_of(record, "outcome"));
    if (!outcome) return bad_report("a record has an unknown outcome");
    const auto cpu = record.find("cpu_s");
    if (cpu == record.end() || !cpu->is_number() || !std::isfinite(cpu->get<double>()) ||
        cpu->get<double>() < 0 || cpu->get<double>() > kMaxReportNumber) {
      return bad_report("a record has no sound cpu_s");
    }
    const double seconds = cpu->get<double>();
    if (*outcome == TestOutcome::kTimeout) {
      report_.timed_out_cpu_s += seconds;
    } else {
      report_.slowest_test_cpu_s = std::max(report_.slowest_test_cpu_s, seconds);
    }
    TestRecord named = split_test_id(id);
    named.outcome = *outcome;
    return tests_.add(std::move(named));
  }

  Result<void> end(const json& record) {
    ended_ = true;
    const auto count = record.find("tests");
    const auto exit = record.find("exit");
    if (count == record.end() || !count->is_number_unsigned() || exit == record.end() ||
        !exit->is_number_unsigned() || exit->get<std::uint64_t>() > 255) {
      return bad_report("its end record is not sound");
    }
    if (count->get<std::uint64_t>() != tests_.size()) {
      return bad_report("its end record counts " + std::to_string(count->get<std::uint64_t>()) +
                        " tests and it has " + std::to_string(tests_.size()));
    }
    report_.exit_status = exit->get<int>();
    if (!started_ && report_.collect_errors.empty()) {
      report_.incomplete = "pytest ended before it had collected the tests";
    }
    return {};
  }

  bool started_ = false;
  bool ended_ = false;
  std::set<std::string> announced_;
  TestCollector tests_;
  TestReport report_;
};

/// Depth of a well-formed record: an object with one list in it.
constexpr int kMaxRecordDepth = 3;

bool within_depth(int depth, json::parse_event_t /*event*/, json& /*value*/) {
  return depth <= kMaxRecordDepth;
}

}  // namespace

Result<TestReport> parse_pytest_stream(std::string_view text) {
  INSTAR_CHECK(check_report_size(text));
  StreamReader reader;
  while (!text.empty()) {
    const auto at = text.find('\n');
    if (at == std::string_view::npos) {
      reader.cut();
      break;
    }
    const std::string_view line = text.substr(0, at);
    text.remove_prefix(at + 1);
    // Deep nesting would cost the parser's stack of states; our records are shallow.
    const json record = json::parse(line.begin(), line.end(), &within_depth, false);
    if (!record.is_object()) return bad_report("a line of it is not a record");
    INSTAR_CHECK(reader.record(record));
  }
  return reader.finish();
}

}  // namespace instar::engine
