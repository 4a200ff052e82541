#include "isolation/cell_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <utility>

#include "isolation/cell_environment.h"
#include "isolation/cell_report.h"
#include "isolation/launcher_protocol.h"
#include "isolation/output_broker.h"
#include "isolation/output_capture.h"

namespace instar::isolation {

namespace {

using Clock = std::chrono::steady_clock;

Result<void> check(const CellSpec& spec) {
  const auto bad = [](std::string what, std::string hint = {}) {
    return fail(ErrorCode::kInvalidInput, std::move(what), std::move(hint));
  };
  if (spec.argv.empty() || spec.argv.front().empty()) return bad("there is no command to run");
  for (const auto& argument : spec.argv) {
    if (argument.find('\0') != std::string::npos) return bad("an argument contains a NUL byte");
  }
  const Limits& limits = spec.limits;
  const std::pair<const char*, bool> zeros[] = {
      {"wall", limits.wall.count() <= 0},         {"cpu", limits.cpu.count() <= 0},
      {"memory", limits.memory_bytes == 0},       {"processes", limits.processes == 0},
      {"open_files", limits.open_files == 0},     {"file_size", limits.file_size_bytes == 0},
      {"workspace", limits.workspace_bytes == 0}, {"inodes", limits.inodes == 0},
      {"output", limits.output_bytes == 0},
  };
  for (const auto& [name, zero] : zeros) {
    if (zero)
      return bad(std::string("the limit ") + name + " is zero", "zero never means unlimited");
  }
  return {};
}

/// A stream of the command: the pipe's end that we read, and what was kept.
struct Drain {
  Fd pipe;
  OutputCapture capture;

  /// Reads what is there, at most `rounds` buffers: a flood must not keep us from the other events.
  /// False at the end of the stream.
  bool read_some(unsigned rounds) {
    static thread_local std::array<char, 256 * 1024> buffer;
    while (rounds-- > 0) {
      const ssize_t got = ::read(pipe.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return got < 0 && errno == EAGAIN;
      capture.feed({buffer.data(), static_cast<std::size_t>(got)});
    }
    return true;
  }
};

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(Error::system("cannot make a pipe", errno));
  Pipe pipe{.read = Fd(ends[0]), .write = Fd(ends[1])};
  // Only our end: the open file of the command must block as any program expects.
  if (::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK) != 0) {
    return fail(Error::system("cannot prepare a pipe", errno));
  }
  ::fcntl(pipe.write.get(), F_SETPIPE_SZ, 256 * 1024);  // fewer wake-ups; refused is harmless
  return pipe;
}

/// Drains both streams until the launcher has answered. Never waits for the streams themselves: an
/// orphan may hold them open, and it is dead by then. False when there is none by the deadline: the
/// launcher is the one that watches the limits, so somebody must watch the launcher.
bool drain_until_answer(const CellRun& run, int stop_event, Drain& out, Drain& err) {
  auto deadline = Clock::now() + run.spec.limits.wall + run.patience;
  std::array<pollfd, 4> events{pollfd{run.launcher, POLLIN, 0}, pollfd{stop_event, POLLIN, 0},
                               pollfd{out.pipe.get(), POLLIN, 0},
                               pollfd{err.pipe.get(), POLLIN, 0}};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    const int wait = static_cast<int>(std::min<std::int64_t>(left, 60'000));
    if (::poll(events.data(), events.size(), wait) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    for (auto& [event, drain] : {std::pair{&events[2], &out}, std::pair{&events[3], &err}}) {
      if (event->revents != 0 && !drain->read_some(4)) event->fd = -1;
    }
    if (events[1].revents != 0) {
      events[1].fd = -1;
      if (!send_stop(run.launcher)) return false;
      deadline = std::min(deadline, Clock::now() + run.patience);
    }
    if (events[0].revents != 0) break;
  }
  // Everybody who could write is dead: what a pipe can hold is the most that is left.
  constexpr unsigned kWholePipe = 1024;
  out.read_some(kWholePipe);
  err.read_some(kWholePipe);
  return true;
}

Result<CellPaths> make_cell_directories(const OwnedDirectory& cell, const CellRun& run) {
  for (const char* name : {"home", "tmp", "out"}) {
    (void)INSTAR_TRY(cell.make_private(name, run.home.owner));
  }
  return CellPaths{.work = run.workspace.host_path(),
                   .home = cell.path() / "home",
                   .temp = cell.path() / "tmp",
                   .out = cell.path() / "out"};
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

Result<CellReport> run_cell(const CellRun& run, std::stop_token stop) {
  INSTAR_CHECK(check(run.spec));
  const OwnedDirectory cell =
      INSTAR_TRY(OwnedDirectory::create(run.home.directory.fd(), run.home.directory.path(),
                                        run.home.fresh_name("c"), run.home.owner));
  const CellPaths paths = INSTAR_TRY(make_cell_directories(cell, run));
  auto environment = INSTAR_TRY(build_environment(paths, run.spec.env));
  Opened opened = INSTAR_TRY(Opened::open(run.workspace));
  Pipe out = INSTAR_TRY(make_pipe());
  Pipe err = INSTAR_TRY(make_pipe());
  CellRequest request{.limits = run.spec.limits,
                      .workspace_read_only = run.spec.access == WorkspaceAccess::kReadOnly,
                      .workspace = run.workspace.host_path().string(),
                      .cell = cell.path().string(),
                      .argv = run.spec.argv,
                      .env = std::move(environment),
                      .out = std::move(out.write),
                      .err = std::move(err.write)};
  const Fd stop_event(::eventfd(0, EFD_CLOEXEC));
  if (!stop_event.valid()) return fail(Error::system("cannot make an eventfd", errno));
  const std::stop_callback on_stop(stop, [&] { ::eventfd_write(stop_event.get(), 1); });

  INSTAR_CHECK(send_request(run.launcher, request));
  request.out.reset();
  request.err.reset();
  Drain out_drain{std::move(out.read), OutputCapture(run.spec.limits.output_bytes)};
  Drain err_drain{std::move(err.read), OutputCapture(run.spec.limits.output_bytes)};
  if (!drain_until_answer(run, stop_event.get(), out_drain, err_drain)) {
    return fail(ErrorCode::kInternal, "the launcher of the cell does not answer",
                "look for a process in state T or D, then start again");
  }
  const CellEnd end = INSTAR_TRY(receive_end(run.launcher));
  INSTAR_CHECK(opened.shut());
  INSTAR_CHECK(cell.set_open(true));

  CellReport report = INSTAR_TRY(judge_end(run, end));
  report.out = std::move(out_drain.capture).finish();
  report.err = std::move(err_drain.capture).finish();
  report.outputs = collect_outputs(
      paths.out, run.spec.outputs,
      {.bytes = run.spec.limits.outputs_bytes, .files = run.spec.limits.outputs_files});
  return report;
}

}  // namespace instar::isolation
