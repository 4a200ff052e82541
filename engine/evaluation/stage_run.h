#pragma once

#include <optional>
#include <string>

#include "engine/config/target.h"
#include "engine/evaluation/evaluation.h"
#include "engine/evaluation/report.h"
#include "isolation/cell.h"

namespace instar::engine {

/// What one run of a stage showed by itself, before it is held against the base.
struct StageRun {
  Verdict verdict = Verdict::kInfra;
  std::string reason;         ///< empty for passed
  std::optional<Error> ours;  ///< with kInfra: what we failed at
  bool exited_zero = false;   ///< the command claims success
  /// It exited with a failure that the failing tests of its complete report account for.
  bool tests_explain_exit = false;
  /// `<stage>.cpu_s`, `.wall_s`, `.peak_memory_bytes`, and what a metrics file says.
  Metrics metrics;
  std::optional<TestReport> report;  ///< nothing: there is none that can be believed
  std::string excerpt;               ///< escaped and bounded text for a person
};

/// Reads what a cell reports. Never a pass for a report that is missing, cut, out of bounds, or at
/// odds with the exit status:
///  - the command fails and every test in its report passes: the report is not believed;
///  - the command succeeds and a test in its report fails: the outcomes stand, the stage failed.
StageRun read_stage_run(const Stage& stage, const isolation::CellReport& cell);

/// The end of what a command printed, escaped for a terminal.
std::string output_excerpt(const isolation::CellReport& cell);

}  // namespace instar::engine
