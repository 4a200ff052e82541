#include "cli/check_report.h"

#include <algorithm>

#include "base/text.h"
#include "checkpoints/git_store.h"
#include "engine/edit_window/path_rules.h"
#include "engine/edit_window/surface_rules.h"

namespace instar::cli {

namespace fs = std::filesystem;

namespace {

using engine::Glob;

void add_rules(std::vector<engine::PathRule>& rules, const std::vector<engine::Sourced>& patterns) {
  for (const auto& [pattern, source] : patterns) rules.push_back({pattern, source});
}

engine::Surface surface_of(const engine::Target& target, const engine::Policy& policy) {
  engine::Surface surface;
  add_rules(surface.allow, target.allow);
  add_rules(surface.deny, target.deny);
  add_rules(surface.protect, policy.protect);
  add_rules(surface.protect, target.sealed);
  return surface;
}

/// The patterns that match no path.
Result<std::vector<std::string>> idle_patterns(const std::vector<engine::Sourced>& patterns,
                                               const std::vector<std::string>& paths,
                                               Glob::Covers covers) {
  std::vector<std::string> idle;
  for (const auto& [pattern, source] : patterns) {
    const Glob glob =
        INSTAR_TRY(Glob::compile(pattern, Glob::Names::kExact, Glob::Anchor::kRoot, covers));
    const bool used = std::any_of(paths.begin(), paths.end(),
                                  [&](const std::string& path) { return glob.matches(path); });
    if (!used) idle.push_back(pattern + " (" + source + ")");
  }
  return idle;
}

/// Files that the sealed patterns cover.
Result<std::size_t> count_sealed(const engine::Target& target,
                                 const std::vector<std::string>& paths) {
  std::vector<Glob> globs;
  for (const auto& rule : target.sealed) {
    globs.push_back(INSTAR_TRY(Glob::compile(rule.value, Glob::Names::kExact, Glob::Anchor::kRoot,
                                             Glob::Covers::kPathAndBelow)));
  }
  const auto is_sealed = [&](const std::string& path) {
    return std::any_of(globs.begin(), globs.end(),
                       [&](const Glob& glob) { return glob.matches(path); });
  };
  return static_cast<std::size_t>(std::count_if(paths.begin(), paths.end(), is_sealed));
}

Result<Coverage> cover(const engine::Target& target, const engine::Policy& policy,
                       const std::vector<checkpoints::TreeEntry>& entries) {
  const auto rules = INSTAR_TRY(engine::SurfaceRules::compile(surface_of(target, policy)));
  Coverage coverage;
  std::vector<std::string> paths;
  for (const auto& entry : entries) {
    paths.push_back(entry.path);
    const bool file = entry.mode == checkpoints::FileMode::kRegular ||
                      entry.mode == checkpoints::FileMode::kExecutable;
    if (file && engine::check_path(entry.path) && rules.check(entry.path)) {
      coverage.surface.push_back(entry.path);
    }
  }
  coverage.sealed = INSTAR_TRY(count_sealed(target, paths));
  coverage.idle = INSTAR_TRY(idle_patterns(target.allow, paths, Glob::Covers::kPath));
  for (auto& pattern :
       INSTAR_TRY(idle_patterns(target.sealed, paths, Glob::Covers::kPathAndBelow))) {
    coverage.idle.push_back(std::move(pattern));
  }
  return coverage;
}

void warn(CheckReport& report, const checkpoints::Uncommitted& uncommitted) {
  if (report.coverage.surface.empty()) {
    report.warnings.emplace_back(
        "no file of HEAD is on the surface, so no variant can change anything: is the code "
        "committed, and does surface.allow name it?");
  }
  for (const auto& pattern : report.coverage.idle) {
    report.warnings.push_back("this pattern matches no file of HEAD: " + pattern);
  }
  if (uncommitted.tracked) {
    report.warnings.emplace_back("uncommitted changes are not part of the base: HEAD is");
  }
}

}  // namespace

Result<CheckReport> make_check_report(const CheckRequest& request) {
  CheckReport report;
  report.policy = INSTAR_TRY(engine::load_policy(request.policy));
  report.target = INSTAR_TRY(engine::load_target(request.directory, report.policy));
  report.required = engine::required_level(report.policy, false, request.level);
  report.available = isolation::level_available();

  const auto repository = INSTAR_TRY(checkpoints::Repository::open(request.directory));
  const auto head = INSTAR_TRY(repository.head());
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(repository));
  report.base = head.commit;
  const auto entries = INSTAR_TRY(store->list(head.tree));
  report.coverage = INSTAR_TRY(cover(report.target, report.policy, entries));
  warn(report, INSTAR_TRY(repository.uncommitted()));
  return report;
}

}  // namespace instar::cli
