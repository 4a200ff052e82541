#include "isolation/cell_exec.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sanitizer/asan_interface.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "isolation/become_user.h"

namespace instar::isolation {

namespace {

/// Shared with the child through the borrowed memory.
struct ChildState {
  const ExecPlan* plan;
  pid_t launcher;
  volatile SetupStage stage = SetupStage::kClone;
  volatile int error = 0;
};

bool set_limits(const ExecPlan& plan) {
  for (const LimitEntry& limit : plan.limits) {
    if (::syscall(SYS_prlimit64, 0, limit.resource, &limit.value, nullptr) != 0) return false;
  }
  return true;
}

/// When the machine runs out of memory, the cell goes first and the engine last.
bool offer_to_oom_killer() {
  // The borrowed memory is marked against tracing, which shuts these files for a plain user.
  ::prctl(PR_SET_DUMPABLE, 1);
  const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  const bool absent = fd < 0 && errno == ENOENT;  // no /proc here: nothing to offer
  const bool written = fd >= 0 && ::write(fd, "1000", 4) == 4;
  const int err = errno;
  ::prctl(PR_SET_DUMPABLE, 0);
  if (fd >= 0) ::close(fd);
  errno = err;
  return absent || written;
}

/// Tries each candidate as a shell does: a missing one leads to the next, one that may not be
/// executed is remembered.
int exec_first(const ExecPlan& plan) {
  int remembered = ENOENT;
  for (const char* path : plan.candidates) {
    ::execve(path, plan.argv, plan.envp);
    if (errno == EACCES) {
      remembered = EACCES;
    } else if (errno != ENOENT && errno != ENOTDIR) {
      return errno;
    }
  }
  return remembered;
}

bool begin_session(const ChildState&) {
  ::umask(022);
  return ::setsid() >= 0;
}

bool connect_streams(const ChildState& state) {
  return ::dup2(state.plan->out, STDOUT_FILENO) >= 0 && ::dup2(state.plan->err, STDERR_FILENO) >= 0;
}

bool take_limits(const ChildState& state) {
  // The launcher of root may stand above others; what it starts does not.
  return set_limits(*state.plan) &&
         (::getpriority(PRIO_PROCESS, 0) >= 0 || ::setpriority(PRIO_PROCESS, 0, 0) == 0);
}

bool change_user(const ChildState& state) {
  return state.plan->user == 0 || become_user(state.plan->user, state.plan->group);
}

/// As the slot's user, so that its own rights decide whether it can be there.
bool enter_workspace(const ChildState& state) { return ::fchdir(state.plan->workspace) == 0; }

/// After the change of user, which clears it.
bool die_with_launcher(const ChildState& state) {
  return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == state.launcher;
}

bool renounce_privileges(const ChildState&) {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

bool enter_landlock(const ChildState& state) {
  return state.plan->ruleset < 0 ||
         ::syscall(SYS_landlock_restrict_self, state.plan->ruleset, 0) == 0;
}

bool close_descriptors(const ChildState& state) {
  return !state.plan->close_descriptors || ::syscall(SYS_close_range, 3, ~0U, 0) == 0;
}

bool enter_filter(const ChildState& state) {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  return state.plan->filter == nullptr ||
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, state.plan->filter) == 0;
}

struct Step {
  SetupStage stage;
  bool (*take)(const ChildState& state);  ///< false: failed, with errno
};

constexpr Step kSteps[] = {
    {SetupStage::kSession, begin_session},
    {SetupStage::kStreams, connect_streams},
    {SetupStage::kLimits, take_limits},
    {SetupStage::kOomScore, [](const ChildState&) { return offer_to_oom_killer(); }},
    {SetupStage::kUser, change_user},
    {SetupStage::kWorkspace, enter_workspace},
    {SetupStage::kParentDeath, die_with_launcher},
    {SetupStage::kNoNewPrivs, renounce_privileges},
    {SetupStage::kLandlock, enter_landlock},
    {SetupStage::kDescriptors, close_descriptors},
    {SetupStage::kSeccomp, enter_filter},
};

int child_main(void* argument) {
  auto& state = *static_cast<ChildState*>(argument);
  for (const Step& step : kSteps) {
    state.stage = step.stage;
    if (step.take(state)) continue;
    state.error = errno;
    ::_exit(127);
  }
  state.stage = SetupStage::kExec;
  state.error = exec_first(*state.plan);
  ::_exit(127);
}

}  // namespace

const char* to_string(SetupStage stage) {
  static constexpr const char* kNames[] = {
      "nothing",      "clone",       "control group", "mounts",
      "capabilities", "new session", "streams",       "resource limits",
      "oom score",    "user",        "workspace",     "parent death signal",
      "no_new_privs", "Landlock",    "descriptors",   "seccomp",
      "exec"};
  return kNames[static_cast<unsigned>(stage)];
}

Spawned spawn_cell(const ExecPlan& plan) {
  // The kernel's own minimum for a frame is small; this leaves room for a sanitizer's.
  alignas(16) static std::array<char, 256 * 1024> stack;
  // An earlier child never returned from its frames: AddressSanitizer, where it is compiled in,
  // would take their marks for those of the next one.
  ASAN_UNPOISON_MEMORY_REGION(stack.data(), stack.size());
  ChildState state{.plan = &plan, .launcher = ::getpid()};
  // Memory is shared until exec: no page tables are copied, and a failure needs no pipe to be told.
  const int pid =
      ::clone(child_main, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &state);
  if (pid < 0) return {.pid = -1, .failed = SetupStage::kClone, .error = errno};
  // The change of user in the child touched the shared memory's mark: without it, a process of the
  // slot's user could read the launcher.
  ::prctl(PR_SET_DUMPABLE, 0);
  if (state.error != 0) return {.pid = pid, .failed = state.stage, .error = state.error};
  if (state.stage != SetupStage::kExec) return {.pid = pid, .failed = state.stage, .error = EINTR};
  return {.pid = pid};
}

}  // namespace instar::isolation
