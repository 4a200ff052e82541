#pragma once

#include <string>

#include "engine/config/target.h"
#include "engine/evaluation/evaluation.h"
#include "isolation/cell.h"

namespace instar::engine {

/// The file below $INSTAR_OUT that the pytest plugin writes.
inline constexpr std::string_view kPytestStreamFile = "instar-pytest.jsonl";
/// The name of the plugin as a Python module, in kReservedDirectory.
inline constexpr std::string_view kPytestPluginModule = "instar_pytest_plugin";

/// What a stage may take. CPU seconds decide, so that a loaded machine does not change a verdict;
/// the wall deadline is the backstop for a stage that waits, and several times larger.
struct StageDeadline {
  std::chrono::milliseconds cpu{};
  std::chrono::milliseconds wall{};
  std::chrono::milliseconds per_test{};  ///< pytest only: CPU time of one test
};

/// Without a baseline (the base's own runs): the stage's `timeout`, within the cell's limits. With
/// one: max(1 s, ten times the base's CPU time), for pytest three per-test deadlines more so that a
/// hanging test does not take the others with it, never above the former.
StageDeadline stage_deadline(const Stage& stage, const isolation::Limits& cap,
                             const Baseline* baseline);

/// The cell of one stage: its command run by `sh -c` as it is written, the environment that its
/// report needs, the files that may leave.
isolation::CellSpec stage_cell(const Stage& stage, const Target& target,
                               const isolation::Limits& cap, const StageDeadline& deadline,
                               unsigned slot);

/// A cell for any other command of the target (`prepare`, `list`), with the cell's full limits.
isolation::CellSpec command_cell(const std::string& command, const Target& target,
                                 const isolation::Limits& cap, unsigned slot);

/// The plugin's source, as compiled in.
std::string_view pytest_plugin_source();

}  // namespace instar::engine
