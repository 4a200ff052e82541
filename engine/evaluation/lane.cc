#include "engine/evaluation/lane.h"

#include "base/text.h"

namespace instar::engine {

StageRun infra_run(Error error) {
  StageRun run;
  run.verdict = Verdict::kInfra;
  run.reason = error.message;
  run.ours = std::move(error);
  return run;
}

StageRun infra_run(std::string reason) {
  return infra_run(Error{.code = ErrorCode::kInternal, .message = std::move(reason), .hint = {}});
}

StageRun Lane::run(const Stage& stage, const StageDeadline& deadline, std::stop_token stop) {
  return run_in(*workspace_, stage, deadline, std::move(stop));
}

StageRun Lane::run_in_copy(const Stage& stage, const StageDeadline& deadline,
                           std::stop_token stop) {
  auto copy = workspace_->snapshot(rules_.limits);
  if (!copy && copy.error().code == ErrorCode::kRefused) {
    StageRun run;
    run.verdict = Verdict::kFailed;
    run.reason = escape_for_terminal(copy.error().message) + " (limit: workspace)";
    return run;
  }
  if (!copy) return infra_run(copy.error());
  return run_in(**copy, stage, deadline, std::move(stop));
}

Result<isolation::CellReport> Lane::run_command(const std::string& command, std::stop_token stop) {
  const auto spec = command_cell(command, rules_.target, rules_.limits, slot_);
  return rules_.cells.run(spec, *workspace_, std::move(stop));
}

StageRun Lane::run_in(isolation::Workspace& workspace, const Stage& stage,
                      const StageDeadline& deadline, std::stop_token stop) {
  const auto spec = stage_cell(stage, rules_.target, rules_.limits, deadline, slot_);
  const auto report = rules_.cells.run(spec, workspace, stop);
  if (!report) return infra_run(report.error());
  if (stop.stop_requested() && report->outcome == isolation::Outcome::kSignalled) {
    return infra_run("stopped");
  }
  StageRun run = read_stage_run(stage, *report);
  if (run.verdict == Verdict::kInfra) return run;

  // Every process of the cell is dead, so nothing can touch a file between this look and the next
  // stage.
  const auto sealed = rules_.sealed.check(workspace.host_path(), rules_.allowed);
  if (!sealed) {
    // An unreadable or endless tree is what the command made of it, not a fault of ours.
    const bool theirs = sealed.error().code == ErrorCode::kRefused ||
                        sealed.error().sys_errno == EACCES || sealed.error().sys_errno == ELOOP;
    if (!theirs) return infra_run(sealed.error());
    run.verdict = Verdict::kViolated;
    run.reason = "its sealed files cannot be checked: " + sealed.error().message;
    return run;
  }
  const bool created_only = sealed->changed.empty();
  const std::string& violation = created_only ? sealed->appeared : sealed->changed;
  if (!violation.empty() && !(rules_.learning && created_only)) {
    run.verdict = Verdict::kViolated;
    run.reason = violation;
    if (run.excerpt.empty()) run.excerpt = output_excerpt(*report);
  }
  created_.insert(sealed->created.begin(), sealed->created.end());
  return run;
}

}  // namespace instar::engine
