#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/evaluation/evaluation.h"

namespace instar::engine {

/// Bounds of every report: a report comes from a hostile process, so nothing in it may cost more
/// than this. The largest honest ones (a compiler's test suite) stay below a tenth of each.
inline constexpr std::size_t kMaxReportBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxReportTests = 100'000;
inline constexpr std::size_t kMaxReportDepth = 64;
inline constexpr std::size_t kMaxReportNameBytes = 4096;
inline constexpr std::size_t kMaxReportMetrics = 1000;
/// Beyond this a number is an overflow or an attack, not a measurement.
inline constexpr double kMaxReportNumber = 1e18;

/// One test as a report tells it; the stage is added by whoever asked for the report.
struct TestRecord {
  std::string classname;
  std::string name;
  TestOutcome outcome = TestOutcome::kFailed;
  bool operator==(const TestRecord&) const = default;
};

/// What a report of tests said. No id stands in it twice.
struct TestReport {
  std::vector<TestRecord> tests;
  /// Why the report tells only a part (the harness died before its last record); empty when it is
  /// complete. Only a pytest stream can be partial; the other kinds are whole or an Error.
  std::string incomplete;
  /// Ids that the harness announced before it ran the first one; pytest only.
  std::vector<TestRecord> collected;
  /// Files whose tests could not be listed (an import that fails); pytest only.
  std::vector<std::string> collect_errors;
  /// What the harness said it would exit with; pytest only.
  std::optional<int> exit_status;
  double slowest_test_cpu_s = 0;  ///< of the tests that ended by themselves; pytest only
  double timed_out_cpu_s = 0;     ///< spent in tests that met their deadline; pytest only
};

/// JUnit XML as pytest, ctest, gtest and Surefire write it. A document type, a repeated id, or a
/// suite whose `tests=` differs from its cases is an Error.
Result<TestReport> parse_junit(std::string_view text);

/// TAP 12 to 14. The id of a test is "<number> <description>". No plan, a plan that differs from
/// the tests, a bail-out or a last line that is cut is an Error.
Result<TestReport> parse_tap(std::string_view text);

/// The records of pytest_plugin.py, one JSON object per line. A cut last line only makes the report
/// incomplete; anything that the plugin does not write is an Error.
Result<TestReport> parse_pytest_stream(std::string_view text);

/// One flat JSON object of finite numbers, or one level of objects, whose names are then joined by
/// a dot. Names as written: the caller puts the stage before them.
Result<Metrics> parse_metrics(std::string_view text);

/// The output of a `list:` command: one id per line, `classname::name` or a bare name; the first
/// empty line ends it (what pytest --collect-only -q prints fits).
Result<std::vector<TestRecord>> parse_test_list(std::string_view text);

/// "tests/test_a.py::TestB::test_c" becomes ("tests/test_a.py", "TestB::test_c").
TestRecord split_test_id(std::string_view id);

}  // namespace instar::engine
