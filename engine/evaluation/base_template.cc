#include "engine/evaluation/base_template.h"

#include <fcntl.h>

#include <algorithm>

#include "engine/evaluation/base_files.h"
#include "engine/evaluation/stage_cell.h"
#include "engine/evaluation/stage_run.h"
#include "isolation/tree_copy.h"

namespace instar::engine {

namespace {

namespace fs = std::filesystem;

bool needs_plugin(const Target& target) {
  return std::any_of(target.evaluate.begin(), target.evaluate.end(),
                     [](const Stage& stage) { return stage.report == ReportKind::kPytest; });
}

Result<void> write_plugin(const Target& target, const fs::path& directory) {
  if (!needs_plugin(target)) return {};
  const fs::path reserved = directory / kReservedDirectory;
  std::error_code error;
  fs::create_directory(reserved, error);
  if (error) return fail(Error::system("cannot create " + reserved.string(), error.value()));
  return write_file_atomic(reserved / (std::string(kPytestPluginModule) + ".py"),
                           pytest_plugin_source());
}

/// The target's sealed patterns and our own: who changes the plugin changes the record. It is
/// loaded by its name, and `python3 -m pytest` looks for that and for its own modules in the
/// current directory first, so nothing of those names may appear there, e.g. by an earlier stage.
std::vector<Sourced> sealed_patterns(const Target& target) {
  std::vector<Sourced> patterns = target.sealed;
  patterns.push_back({.value = std::string(kReservedDirectory) + "/**", .source = "built-in"});
  if (needs_plugin(target)) {
    patterns.push_back({.value = std::string(kPytestPluginModule) + "*", .source = "built-in"});
    for (const char* module : {"pytest", "_pytest", "pluggy", "iniconfig", "exceptiongroup",
                               "sitecustomize", "usercustomize"}) {
      for (const char* form : {".py*", ".*so", "/**"}) {
        patterns.push_back({.value = std::string(module) + form, .source = "built-in"});
      }
    }
  }
  return patterns;
}

}  // namespace

Result<BaseTemplate> BaseTemplate::make(const Target& target, const isolation::Limits& limits,
                                        checkpoints::CheckpointStore& store,
                                        isolation::CellProvider& cells,
                                        const checkpoints::TreeId& base, std::stop_token stop) {
  BaseTemplate made(INSTAR_TRY(TempDir::create("base", cells.scratch())));
  const auto entries = INSTAR_TRY(store.list(base));
  made.notes_ = INSTAR_TRY(write_base_files(store, entries, made.files_.path()));
  INSTAR_CHECK(write_plugin(target, made.files_.path()));
  made.sealed_ = INSTAR_TRY(SealedFiles::make(sealed_patterns(target), made.files_.path()));
  if (!target.prepare.empty()) {
    INSTAR_CHECK(made.prepare(target, limits, cells, std::move(stop)));
  }
  return made;
}

Result<void> BaseTemplate::prepare(const Target& target, const isolation::Limits& limits,
                                   isolation::CellProvider& cells, std::stop_token stop) {
  auto workspace = INSTAR_TRY(
      cells.open_workspace({.base = files_.path(), .changes = {}, .slot = 0, .limits = limits}));
  for (const std::string& command : target.prepare) {
    const auto report =
        INSTAR_TRY(cells.run(command_cell(command, target, limits, 0), *workspace, stop));
    if (stop.stop_requested()) return fail(ErrorCode::kInterrupted, "stopped");
    if (report.outcome == isolation::Outcome::kExited && report.exit_code == 0) continue;
    const std::string how = report.outcome == isolation::Outcome::kExited
                                ? "it exited with " + std::to_string(report.exit_code.value_or(-1))
                                : report.reason;
    return fail(ErrorCode::kInvalidInput,
                "the base cannot be prepared: `" + command + "`: " + how +
                    "\n--- what it printed last ---\n" + output_excerpt(report) + "\n---",
                "commands of `prepare` run without a network, in a copy of the base commit");
  }
  const SealedCheck check = INSTAR_TRY(sealed_.check(workspace->directory(), {}));
  if (!check.changed.empty()) {
    return fail(ErrorCode::kInvalidInput, "`prepare` breaks a seal: " + check.changed,
                "narrow `sealed`, or commit what the command generates");
  }
  // A copy of our own: the workspace belongs to the user of a slot, and so to its later variants.
  TempDir prepared = INSTAR_TRY(TempDir::create("prepared", cells.scratch()));
  const Fd to = INSTAR_TRY(open_file(prepared.path(), O_RDONLY | O_DIRECTORY));
  INSTAR_CHECK(isolation::copy_tree(workspace->directory(), to.get(), {}));
  files_ = std::move(prepared);
  sealed_ = INSTAR_TRY(SealedFiles::make(sealed_patterns(target), files_.path()));
  return {};
}

}  // namespace instar::engine
