#include "isolation/cell_init.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "isolation/capabilities.h"
#include "isolation/cell_root.h"
#include "isolation/command_plan.h"
#include "isolation/mounts.h"

namespace instar::isolation {

namespace {

constexpr int kNamespaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC;

/// What a cell has for itself beside its workspace: the directory in its tmpfs, and where the
/// command finds it.
struct Private {
  const char* name;
  const char* at;
  mode_t mode;
};
constexpr Private kPrivate[] = {{"/home", cell_path::kHome, 0700},
                                {"/tmp", cell_path::kTemp, 01777},
                                {"/out", cell_path::kOut, 0700},
                                {"/shm", cell_path::kShm, 01777}};

Spawned failed(SetupStage stage, int error) { return {.failed = stage, .error = error}; }

/// From the launcher's mounts, of which this process has a copy, to those of the cell.
Result<void> enter_view(const CellRequest& request) {
  INSTAR_CHECK(move_mount(request.workspace, cell_path::kWork));
  if (request.workspace_read_only) {
    mount_attr change{};
    change.attr_set = MOUNT_ATTR_RDONLY;
    if (::syscall(SYS_mount_setattr, AT_FDCWD, cell_path::kWork, 0, &change, sizeof change) != 0) {
      return fail(Error::system("cannot make the workspace read-only", errno));
    }
  }
  for (const Private& place : kPrivate) {
    INSTAR_CHECK(bind_mount(request.cell + place.name, place.at));
  }
  // The host's own is what allows a new one; it leaves with the rest.
  INSTAR_CHECK(move_mount("/proc", cell_path::kHostProc));
  INSTAR_CHECK(mount_new("proc", "/proc", "subset=pid"));
  return detach_mount(cell_path::kHost);
}

Spawned start_command(const LauncherState& state, const CellRequest& request) {
  if (state.group != nullptr && !state.group->enter()) return failed(SetupStage::kGroup, errno);
  // From here on the group that it is in is the top one that it knows of.
  if (::unshare(CLONE_NEWCGROUP) != 0) return failed(SetupStage::kGroup, errno);
  if (const auto entered = enter_view(request); !entered) {
    return failed(SetupStage::kMounts, entered.error().sys_errno);
  }
  const auto plan =
      CommandPlan::make(state, request,
                        {{cell_path::kWork, request.workspace_read_only ? FileAccess::kReadExecute
                                                                        : FileAccess::kFull},
                         {cell_path::kHome, FileAccess::kFull},
                         {cell_path::kTemp, FileAccess::kFull},
                         {cell_path::kOut, FileAccess::kFull},
                         {cell_path::kShm, FileAccess::kFull},
                         {"/proc", FileAccess::kReadTree}});
  if (!plan) return failed(plan.error().stage, plan.error().error);
  if (!drop_all_capabilities()) return failed(SetupStage::kCapabilities, errno);
  return plan->spawn();
}

template <class T>
void tell(int report, const T& value) {
  // Where nobody reads it, the launcher is dead, and this process with it.
  if (::write(report, &value, sizeof value) != sizeof value) ::_exit(1);
}

[[noreturn]] void init_main(const LauncherState& state, const CellRequest& request, int report) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Between the start and here the launcher may have died: then its end of the pipe is closed.
  pollfd other{.fd = report, .events = 0, .revents = 0};
  if (::poll(&other, 1, 0) != 0) ::_exit(1);
  const Spawned spawned = start_command(state, request);
  tell(report, spawned);
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, __WALL);
    if (pid < 0 && errno == EINTR) continue;
    if (pid == spawned.pid && spawned.failed == SetupStage::kNone) tell(report, status);
    if (pid < 0 || pid == spawned.pid) ::_exit(0);
  }
}

}  // namespace

Result<Fd> make_cell_places(const CellRequest& request) {
  // Whatever an earlier stage did to its mode, the next one finds the top passable.
  struct stat top {};
  if (::stat(request.workspace.c_str(), &top) != 0 ||
      ((top.st_mode & 0700) != 0700 && ::chmod(request.workspace.c_str(), 0700) != 0)) {
    return fail(Error::system("cannot open the workspace", errno));
  }
  INSTAR_CHECK(mount_new("tmpfs", request.cell,
                         "mode=0755,size=" + std::to_string(request.limits.workspace_bytes) +
                             ",nr_inodes=" + std::to_string(request.limits.inodes)));
  for (const Private& place : kPrivate) {
    const std::string path = request.cell + place.name;
    if (::mkdir(path.c_str(), 0700) != 0 || ::chmod(path.c_str(), place.mode) != 0) {
      return fail(Error::system("cannot make a directory of the cell", errno));
    }
  }
  return open_file(request.cell + "/out", O_PATH | O_DIRECTORY);
}

CellInit start_cell_init(const LauncherState& state, const CellRequest& request) {
  CellInit init;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    init.command = failed(SetupStage::kClone, errno);
    return init;
  }
  init.report = Fd(ends[0]);
  Fd write_end(ends[1]);
  init.pid = static_cast<pid_t>(
      ::syscall(SYS_clone, kNamespaces | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  const int error = errno;
  if (init.pid == 0) {
    init.report.reset();
    init_main(state, request, write_end.get());
  }
  write_end.reset();
  (void)detach_mount(request.cell);
  if (init.pid < 0) {
    init.command = failed(SetupStage::kClone, error);
    return init;
  }
  if (::read(init.report.get(), &init.command, sizeof init.command) != sizeof init.command) {
    init.command = failed(SetupStage::kClone, EINTR);
  }
  init.command.pid = init.pid;
  return init;
}

int status_from(const CellInit& init) {
  int status = 0;
  return ::read(init.report.get(), &status, sizeof status) == sizeof status ? status : SIGKILL;
}

}  // namespace instar::isolation
