#include "cli/check_report.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "checkpoints/git_store.h"
#include "cli/command_files.h"
#include "engine/edit_window/surface_rules.h"
#include "engine/run/plan.h"
#include "engine/run/surface_look.h"
#include "engine/run/target_place.h"

namespace instar::cli {

namespace fs = std::filesystem;

namespace {

using engine::Glob;

/// How many paths some pattern matches; patterns that match none are added to `idle`.
Result<std::size_t> count_matches(const std::vector<engine::Sourced>& patterns, Glob::Use use,
                                  const std::vector<engine::PathForms>& paths,
                                  std::vector<std::string>& idle) {
  const auto globs = INSTAR_TRY(engine::compile_globs(patterns, use));
  std::vector<bool> matched(paths.size());
  for (std::size_t i = 0; i < globs.size(); ++i) {
    bool used = false;
    for (std::size_t j = 0; j < paths.size(); ++j) {
      if (!globs[i].matches(paths[j])) continue;
      used = true;
      matched[j] = true;
    }
    if (!used) idle.push_back(patterns[i].value + " (" + patterns[i].source + ")");
  }
  return static_cast<std::size_t>(std::count(matched.begin(), matched.end(), true));
}

Result<Coverage> cover(const engine::Target& target, const engine::Policy& policy,
                       const std::vector<checkpoints::TreeEntry>& entries) {
  const auto rules = INSTAR_TRY(engine::SurfaceRules::compile(engine::surface_of(target, policy)));
  Coverage coverage;
  std::vector<engine::PathForms> paths;
  for (const auto& entry : entries) {
    paths.emplace_back(entry.path);
    if (rules.permits(entry)) coverage.surface.push_back(entry.path);
  }
  INSTAR_CHECK(count_matches(target.allow, Glob::Use::kPermit, paths, coverage.idle));
  coverage.sealed =
      INSTAR_TRY(count_matches(target.sealed, Glob::Use::kProtect, paths, coverage.idle));
  return coverage;
}

/// A variant that may change the script that measures it decides its own verdict.
void warn_of_judges(const engine::Target& target, const std::vector<std::string>& surface,
                    std::vector<std::string>& warnings) {
  std::set<std::string> named;
  for (const engine::Stage& stage : target.evaluate) {
    for (const std::string& file : files_run_by(stage.command)) {
      const bool changeable = std::find(surface.begin(), surface.end(), file) != surface.end();
      if (!changeable || !named.insert(file).second) continue;
      warnings.push_back("stage " + stage.name + " runs " + file +
                         ", and a variant may change it: if it judges the program, add it to "
                         "`sealed`");
    }
  }
}

/// Without a report all that is seen of a variant is which stage failed.
void warn_of_no_report(const engine::Target& target, std::vector<std::string>& warnings) {
  const bool reported = std::any_of(
      target.evaluate.begin(), target.evaluate.end(),
      [](const engine::Stage& stage) { return stage.report != engine::ReportKind::kExitCode; });
  const bool by_stages = std::any_of(
      target.objectives.begin(), target.objectives.end(),
      [](const engine::Objective& objective) { return objective.metric == "stages.failed"; });
  if (reported || !by_stages) return;
  warnings.emplace_back(
      "no test report, only exit codes: a variant must mend everything at once to count as better. "
      "Give the stage that tests a `report:` (junit, tap, pytest or metrics; docs/evaluation.md)");
}

void warn(CheckReport& report, const checkpoints::Uncommitted& uncommitted) {
  for (auto& warning : engine::surface_warnings(report.target, report.coverage.surface)) {
    report.warnings.push_back(std::move(warning));
  }
  for (const auto& pattern : report.coverage.idle) {
    report.warnings.push_back("this pattern matches no file of HEAD: " + pattern);
  }
  if (!report.coverage.missed.empty()) {
    report.warnings.push_back(engine::say_not_committed(report.coverage.missed));
  }
  warn_of_judges(report.target, report.coverage.surface, report.warnings);
  warn_of_no_report(report.target, report.warnings);
  if (uncommitted.any()) {
    report.warnings.push_back("uncommitted changes are not part of the base, which is commit " +
                              report.base.hex().substr(0, 12) +
                              "; only instar.yaml is read from the working tree");
  }
}

}  // namespace

Result<CheckReport> make_check_report(const CheckRequest& request) {
  CheckReport report;
  report.policy = INSTAR_TRY(engine::load_policy(request.policy));
  const auto repository = INSTAR_TRY(checkpoints::Repository::open(request.directory));
  INSTAR_CHECK(engine::check_place(request.directory, repository));
  report.target = INSTAR_TRY(engine::load_target(request.directory, report.policy));
  report.required = engine::required_level(report.policy, false, request.level);
  report.available = isolation::level_available();

  const auto head = INSTAR_TRY(repository.head());
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(repository));
  report.base = head.commit;
  const auto entries = INSTAR_TRY(store->list(head.tree));
  report.coverage = INSTAR_TRY(cover(report.target, report.policy, entries));
  report.coverage.missed =
      INSTAR_TRY(engine::missed_by_seals(report.target.sealed, repository, entries));
  if (report.coverage.surface.empty()) {
    return fail(engine::empty_surface(report.target, repository.branch().value_or("HEAD")));
  }
  // instar.yaml counts as it stands, so that it is new or changed is no news.
  warn(report, INSTAR_TRY(repository.uncommitted("instar.yaml")));
  return report;
}

}  // namespace instar::cli
