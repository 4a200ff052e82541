#include "engine/evaluation/lane.h"

#include <cerrno>

#include "base/text.h"

namespace instar::engine {

namespace {

/// A run whose sealed files nobody can look at.
StageRun uncheckable(StageRun run, const Error& error) {
  // An unreadable or endless tree is what the command made of it, not a fault of ours.
  const bool theirs =
      error.code == ErrorCode::kRefused || error.sys_errno == EACCES || error.sys_errno == ELOOP;
  if (!theirs) return infra_run(error);
  run.verdict = Verdict::kViolated;
  run.reason = "its sealed files cannot be checked: " + error.message;
  return run;
}

/// The violation in an entry that SealWatch named.
std::string told_of(const std::string& touched) {
  const std::string name = escape_for_terminal(touched);
  if (touched.ends_with('/')) {
    return "the directory " + name + ", which has sealed files, was moved and put back";
  }
  return "the sealed file " + name + " was changed and put back while the stage ran";
}

}  // namespace

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
  auto watch = rules_.sealed.watch(workspace.directory());
  if (!watch) return uncheckable(StageRun(), watch.error());
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
  auto broken = broken_seal(workspace, *watch);
  if (!broken) return uncheckable(std::move(run), broken.error());
  if (broken->empty()) return run;
  run.verdict = Verdict::kViolated;
  run.reason = std::move(*broken);
  if (run.excerpt.empty()) run.excerpt = output_excerpt(*report);
  return run;
}

Result<std::string> Lane::broken_seal(const isolation::Workspace& workspace, SealWatch& watch) {
  const std::vector<std::string> touched = INSTAR_TRY(watch.touched());
  const SealedCheck check =
      INSTAR_TRY(rules_.sealed.check(workspace.directory(), rules_.allowed.created));
  habits_.created.insert(check.created.begin(), check.created.end());
  habits_.touched.insert(touched.begin(), touched.end());
  if (!check.changed.empty() || rules_.learning) return check.changed;
  if (!check.appeared.empty()) return check.appeared;
  for (const std::string& path : touched) {
    if (!rules_.allowed.touched.contains(path)) return told_of(path);
  }
  return std::string();
}

}  // namespace instar::engine
