#include "isolation/cell_report.h"

#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

namespace instar::isolation {

namespace {

Error setup_error(const CellSpec& spec, const CellEnd& end) {
  const std::string& command = spec.argv.front();
  if (end.failed == SetupStage::kExec) {
    Error error = Error::system("cannot execute " + command, end.error);
    error.code = end.error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalidInput;
    error.hint =
        "a cell sees /usr, /bin, /lib and its workspace, and looks for commands in "
        "/usr/local/bin:/usr/bin:/bin; a script needs a #! line and the mode bit x";
    return error;
  }
  Error error = Error::system(
      std::string("cannot set up the cell, at the stage ") + to_string(end.failed), end.error);
  error.code = ErrorCode::kHostCannot;
  error.hint = "`instar doctor` tries each thing that a cell needs";
  return error;
}

struct LimitName {
  const char* name;
  Outcome outcome;
  const char* reason;
};

LimitName name_of(LimitHit hit) {
  switch (hit) {
    case LimitHit::kWall:
      return {"wall", Outcome::kTimeout, "it ran longer than its wall-clock deadline"};
    case LimitHit::kCpu:
      return {"cpu", Outcome::kTimeout, "it used up its CPU time"};
    case LimitHit::kMemory:
      return {"memory", Outcome::kLimit, "it used more memory than allowed"};
    case LimitHit::kProcesses:
      return {"processes", Outcome::kLimit, "it had more processes and threads than allowed"};
    case LimitHit::kWorkspace:
      return {"workspace", Outcome::kLimit, "it wrote more bytes than its workspace may hold"};
    case LimitHit::kInodes:
      return {"inodes", Outcome::kLimit, "it made more files than its workspace may hold"};
    case LimitHit::kDepth:
      return {"inodes", Outcome::kLimit, "it nested directories too deep"};
    case LimitHit::kHidden:
      return {"workspace", Outcome::kLimit, "it kept files from being looked at"};
    case LimitHit::kStopped:
    case LimitHit::kNone:
      break;
  }
  return {"", Outcome::kSignalled, "stopped"};
}

/// Names a signal in words where it has a usual meaning.
std::string signal_reason(int signo) {
  const char* text = ::sigdescr_np(signo);
  return "it was ended by signal " + std::to_string(signo) +
         (text != nullptr ? std::string(" (") + text + ")" : std::string());
}

void judge_status(CellReport& report, int status) {
  if (WIFEXITED(status)) {
    report.outcome = Outcome::kExited;
    report.exit_code = WEXITSTATUS(status);
    report.reason = "it ended with exit code " + std::to_string(*report.exit_code);
    return;
  }
  report.outcome = Outcome::kSignalled;
  report.signal = WTERMSIG(status);
  report.reason = signal_reason(report.signal);
  if (report.signal == SIGSYS) {
    report.outcome = Outcome::kViolated;
    report.reason = "it made a system call that no honest program makes (a foreign architecture)";
  } else if (report.signal == SIGXFSZ) {
    report.outcome = Outcome::kLimit;
    report.limit = "file_size";
    report.reason = "it wrote a larger file than allowed";
  }
}

}  // namespace

Result<CellReport> judge_end(const CellSpec& spec, const CellEnd& end,
                             std::map<std::string, std::string> enforced) {
  if (end.failed != SetupStage::kNone) return fail(setup_error(spec, end));
  if (!end.all_dead) {
    return fail(ErrorCode::kInternal, "a process of the cell cannot be ended: the kernel holds it",
                "look for a process in state D, and for a stuck disk or network file system");
  }
  CellReport report;
  report.wall_s = end.wall_s;
  report.cpu_s = end.cpu_s;
  report.peak_memory_bytes = end.peak_bytes;
  report.enforced = std::move(enforced);
  if (end.hit == LimitHit::kNone) {
    judge_status(report, end.status);
    return report;
  }
  const LimitName hit = name_of(end.hit);
  report.outcome = hit.outcome;
  report.limit = hit.name;
  report.reason = hit.reason;
  if (end.hit == LimitHit::kStopped) report.signal = SIGKILL;
  return report;
}

}  // namespace instar::isolation
