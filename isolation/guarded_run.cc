#include "isolation/guarded_run.h"

#include <map>
#include <string>
#include <utility>

#include "isolation/cell_environment.h"
#include "isolation/cell_report.h"
#include "isolation/cell_spec.h"
#include "isolation/launcher_call.h"
#include "isolation/output_broker.h"

namespace instar::isolation {

namespace {

/// The private directories of a cell; gives the one for its outputs.
Result<Fd> make_cell_directories(const OwnedDirectory& cell, const GuardedRun& run) {
  for (const char* name : {"home", "tmp"}) {
    (void)INSTAR_TRY(cell.make_private(name, run.home.owner));
  }
  return cell.make_private("out", run.home.owner);
}

/// Each entry says what really holds in this cell.
std::map<std::string, std::string> enforced_by(const GuardedRun& run) {
  const bool own_user = run.home.owner.has_value();
  const std::string landlock = "landlock abi " + std::to_string(run.landlock_abi);
  std::string signals = "user";
  if (!own_user) signals = run.landlock_abi >= 6 ? landlock : "seccomp for the engine only";
  return {{"wall", "watch"},
          {"cpu", "watch"},
          {"cpu_per_process", "rlimit"},
          {"memory", "watch"},
          {"memory_per_process", "rlimit at 125% for private data, watch for the rest"},
          {"processes", own_user ? "rlimit" : "watch"},
          {"open_files", "rlimit"},
          {"file_size", "rlimit"},
          {"workspace", "watch"},
          {"inodes", "watch"},
          {"files", landlock},
          {"network", "seccomp"},
          {"system_calls", "seccomp"},
          {"signals", signals},
          {"user", own_user ? std::to_string(run.home.owner->user) : "none"}};
}

/// Keeps the workspace open to the cell while it runs.
class Opened {
 public:
  static Result<Opened> open(const GuardedWorkspace& workspace) {
    Opened opened(workspace);
    INSTAR_CHECK(workspace.set_open(true));
    return opened;
  }
  Opened(Opened&& other) noexcept : workspace_(std::exchange(other.workspace_, nullptr)) {}
  Opened& operator=(Opened&&) = delete;
  ~Opened() {
    if (workspace_ != nullptr) (void)workspace_->set_open(false);
  }
  /// Before anything of the cell is read: by then, a directory on the way may be shut against us.
  Result<void> shut() { return std::exchange(workspace_, nullptr)->set_open(false); }

 private:
  explicit Opened(const GuardedWorkspace& workspace) : workspace_(&workspace) {}
  const GuardedWorkspace* workspace_;
};

}  // namespace

Result<CellReport> run_guarded(const GuardedRun& run, std::stop_token stop) {
  INSTAR_CHECK(check_spec(run.spec));
  const OwnedDirectory cell =
      INSTAR_TRY(OwnedDirectory::create(run.home.directory.fd(), run.home.directory.path(),
                                        run.home.fresh_name("c"), run.home.owner));
  const Fd outputs = INSTAR_TRY(make_cell_directories(cell, run));
  auto environment = INSTAR_TRY(build_environment({.work = run.workspace.path(),
                                                   .home = cell.path() / "home",
                                                   .temp = cell.path() / "tmp",
                                                   .out = cell.path() / "out"},
                                                  run.spec.env));
  Opened opened = INSTAR_TRY(Opened::open(run.workspace));
  CellRequest request{.limits = run.spec.limits,
                      .workspace_read_only = run.spec.access == WorkspaceAccess::kReadOnly,
                      .workspace = run.workspace.path().string(),
                      .cell = cell.path().string(),
                      .argv = run.spec.argv,
                      .env = std::move(environment),
                      .out = {},
                      .err = {}};
  LauncherAnswer answer =
      INSTAR_TRY(call_launcher(run.launcher, std::move(request), run.patience, std::move(stop)));
  INSTAR_CHECK(opened.shut());
  INSTAR_CHECK(cell.set_open(true));

  CellReport report = INSTAR_TRY(judge_end(run.spec, answer.end, enforced_by(run)));
  report.out = std::move(answer.out);
  report.err = std::move(answer.err);
  report.outputs = collect_outputs(
      outputs.get(), run.spec.outputs,
      {.bytes = run.spec.limits.outputs_bytes, .files = run.spec.limits.outputs_files});
  return report;
}

}  // namespace instar::isolation
