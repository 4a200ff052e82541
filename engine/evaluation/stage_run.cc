#include "engine/evaluation/stage_run.h"

#include <algorithm>
#include <csignal>

#include "base/text.h"
#include "engine/evaluation/compare.h"
#include "engine/evaluation/stage_cell.h"

namespace instar::engine {

namespace {

using isolation::CellReport;
using isolation::Outcome;

/// What a reviewer reads of a failing stage: two screens.
constexpr std::size_t kExcerptBytes = 4096;

/// What a shell exits with when its command was ended by SIGSYS: only the cell's filter sends that.
constexpr int kShellSawSigsys = 128 + SIGSYS;

std::string_view end_of(std::string_view text, std::size_t bytes) {
  return text.size() <= bytes ? text : text.substr(text.size() - bytes);
}

std::string_view end_of(const isolation::CapturedStream& stream, std::size_t bytes) {
  return end_of(stream.tail.empty() ? stream.head : stream.tail, bytes);
}

void judge_outcome(const CellReport& cell, StageRun& run) {
  switch (cell.outcome) {
    case Outcome::kExited:
      if (cell.exit_code == kShellSawSigsys) {
        run.verdict = Verdict::kViolated;
        run.reason = "it made a system call that only an attack makes";
        return;
      }
      run.exited_zero = cell.exit_code == 0;
      run.verdict = run.exited_zero ? Verdict::kPassed : Verdict::kFailed;
      if (!run.exited_zero) {
        run.reason = "it exited with " + std::to_string(cell.exit_code.value_or(-1));
      }
      return;
    case Outcome::kSignalled:
      run.verdict = Verdict::kFailed;
      run.reason = "it was ended by signal " + std::to_string(cell.signal);
      return;
    case Outcome::kTimeout:
      run.verdict = Verdict::kTimeout;
      break;
    case Outcome::kLimit:
      run.verdict = Verdict::kFailed;
      break;
    case Outcome::kViolated:
      run.verdict = Verdict::kViolated;
      break;
    case Outcome::kSetupFailed:
      run.verdict = Verdict::kInfra;
      break;
  }
  run.reason = cell.reason.empty() ? std::string(to_string(cell.outcome)) : cell.reason;
  if (!cell.limit.empty()) run.reason += " (limit: " + cell.limit + ")";
  run.reason = escape_for_terminal(run.reason);
}

Result<std::string> report_bytes(const CellReport& cell, std::string_view name) {
  for (const isolation::OutputFile& file : cell.outputs) {
    if (file.path != name) continue;
    if (!file.refused.empty()) return fail(ErrorCode::kInvalidInput, file.refused);
    return file.bytes;
  }
  return fail(ErrorCode::kInvalidInput, "it is missing");
}

Result<TestReport> read_tests(const Stage& stage, const CellReport& cell) {
  const std::string bytes = INSTAR_TRY(report_bytes(
      cell, stage.report == ReportKind::kPytest ? kPytestStreamFile : stage.report_file));
  if (stage.report == ReportKind::kJunit) return parse_junit(bytes);
  if (stage.report == ReportKind::kTap) return parse_tap(bytes);
  return parse_pytest_stream(bytes);
}

/// A report makes a verdict worse, never better.
void fail_run(StageRun& run, const std::string& why) {
  if (run.verdict == Verdict::kPassed || run.verdict == Verdict::kFailed) {
    run.reason = run.reason.empty() ? why : run.reason + "; " + why;
    run.verdict = Verdict::kFailed;
  }
}

std::string report_name(const Stage& stage) {
  return stage.report == ReportKind::kPytest ? std::string("the pytest record")
                                             : "the report " + stage.report_file;
}

void judge_tests(const Stage& stage, const CellReport& cell, StageRun& run) {
  auto report = read_tests(stage, cell);
  if (!report) {
    return fail_run(run, report_name(stage) + " cannot be used: " + report.error().message);
  }
  const auto bad = std::count_if(report->tests.begin(), report->tests.end(),
                                 [](const TestRecord& test) { return is_failure(test.outcome); });
  if (cell.outcome == Outcome::kExited) {
    const bool at_odds = report->exit_status && report->exit_status != cell.exit_code;
    if (!report->collect_errors.empty()) {
      fail_run(run, "pytest cannot collect " + escape_for_terminal(report->collect_errors.front()));
    } else if (!run.exited_zero && bad == 0 && report->incomplete.empty()) {
      // An honest failure that no test shows, or a forged report: either way it proves nothing.
      return fail_run(run, report_name(stage) + " shows no failing test, so it is not believed");
    }
    if (run.exited_zero && bad > 0) {
      fail_run(run, report_name(stage) + " has failing tests though the command exited with 0");
    } else if (at_odds) {
      fail_run(run, "pytest ended with " + std::to_string(*report->exit_status) +
                        " and the command did not");
    }
  }
  run.tests_explain_exit = cell.outcome == Outcome::kExited && !run.exited_zero && bad > 0 &&
                           report->incomplete.empty() &&
                           (!report->exit_status || report->exit_status == cell.exit_code);
  if (!report->incomplete.empty()) {
    fail_run(run, report_name(stage) + " is not complete: " + report->incomplete);
  }
  run.report = std::move(*report);
}

void judge_metrics(const Stage& stage, const CellReport& cell, StageRun& run) {
  const auto bytes = report_bytes(cell, stage.report_file);
  const auto metrics = bytes ? parse_metrics(*bytes) : Result<Metrics>(fail(bytes.error()));
  if (!metrics) {
    return fail_run(run, report_name(stage) + " cannot be used: " + metrics.error().message);
  }
  for (const auto& [name, value] : *metrics) {
    // Also below a group: `<stage>.x.cpu_s` would be read as a measured one.
    if (!measured_name(name).empty()) {
      return fail_run(run, report_name(stage) + " cannot be used: " + name +
                               " is the name of a measured metric");
    }
  }
  for (const auto& [name, value] : *metrics) run.metrics[stage.name + "." + name] = value;
}

}  // namespace

std::string output_excerpt(const CellReport& cell) {
  const std::string_view err = end_of(cell.err, kExcerptBytes / 2);
  const std::string_view out = end_of(cell.out, kExcerptBytes - err.size());
  std::string text(out);
  if (!out.empty() && !err.empty() && !out.ends_with('\n')) text += '\n';
  text += err;
  const std::string shown = escape_for_terminal(text, true);
  return std::string(end_of(shown, 2 * kExcerptBytes));
}

StageRun read_stage_run(const Stage& stage, const CellReport& cell) {
  StageRun run;
  judge_outcome(cell, run);
  run.metrics[stage.name + ".cpu_s"] = cell.cpu_s;
  run.metrics[stage.name + ".wall_s"] = cell.wall_s;
  run.metrics[stage.name + ".peak_memory_bytes"] = static_cast<double>(cell.peak_memory_bytes);
  const bool ended_by_itself = cell.outcome == Outcome::kExited;
  // The stream is told test by test, so what a killed run told before its end is worth reading.
  const bool streamed = stage.report == ReportKind::kPytest && run.verdict != Verdict::kInfra;
  if (reports_tests(stage) && (ended_by_itself || streamed)) judge_tests(stage, cell, run);
  if (stage.report == ReportKind::kMetrics && ended_by_itself) judge_metrics(stage, cell, run);
  if (run.verdict != Verdict::kPassed) run.excerpt = output_excerpt(cell);
  return run;
}

}  // namespace instar::engine
