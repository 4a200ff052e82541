#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "engine/config/target.h"
#include "engine/evaluation/evaluation.h"
#include "engine/evaluation/sealed_files.h"
#include "engine/evaluation/stage_cell.h"
#include "engine/evaluation/stage_run.h"
#include "isolation/cell.h"

namespace instar::engine {

/// What every stage of a run is run with. Borrowed; constant while cells run.
struct LaneRules {
  const Target& target;
  const isolation::Limits& limits;
  isolation::CellProvider& cells;
  const SealedFiles& sealed;
  const SealHabits& allowed;  ///< what the base's own run does to the sealed files
  bool learning = false;      ///< the base's own run: its habits are told, not judged
};

/// One tree on its way through the stages: its workspace carries forward, its processes do not.
class Lane {
 public:
  Lane(const LaneRules& rules, std::unique_ptr<isolation::Workspace> workspace, unsigned slot)
      : rules_(rules), workspace_(std::move(workspace)), slot_(slot) {}

  /// Runs a stage in the workspace. Our own failure is a run with verdict kInfra.
  StageRun run(const Stage& stage, const StageDeadline& deadline, std::stop_token stop);
  /// Runs it in a copy, which is dropped: the workspace stays as it was before.
  StageRun run_in_copy(const Stage& stage, const StageDeadline& deadline, std::stop_token stop);
  /// Runs another command of the target in the workspace.
  Result<isolation::CellReport> run_command(const std::string& command, std::stop_token stop);

  /// What the stages did to the sealed files so far.
  [[nodiscard]] const SealHabits& habits() const { return habits_; }

 private:
  StageRun run_in(isolation::Workspace& workspace, const Stage& stage,
                  const StageDeadline& deadline, std::stop_token stop);
  /// What a stage did to the sealed files against the rules; empty: nothing.
  Result<std::string> broken_seal(const isolation::Workspace& workspace, SealWatch& watch);

  LaneRules rules_;
  std::unique_ptr<isolation::Workspace> workspace_;
  unsigned slot_;
  SealHabits habits_;
};

/// A run that ended by our own fault.
StageRun infra_run(Error error);
StageRun infra_run(std::string reason);

}  // namespace instar::engine
