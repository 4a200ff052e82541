#include "isolation/launcher_call.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "isolation/output_capture.h"

namespace instar::isolation {

namespace {

using Clock = std::chrono::steady_clock;

/// Whom a command was given to, and how long its answer may take.
struct Asked {
  int launcher;
  std::chrono::milliseconds wall;
  std::chrono::milliseconds patience;
};

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
bool drain_until_answer(const Asked& asked, int stop_event, Drain& out, Drain& err) {
  auto deadline = Clock::now() + asked.wall + asked.patience;
  std::array<pollfd, 4> events{pollfd{asked.launcher, POLLIN, 0}, pollfd{stop_event, POLLIN, 0},
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
      if (!send_stop(asked.launcher)) return false;
      deadline = std::min(deadline, Clock::now() + asked.patience);
    }
    if (events[0].revents != 0) break;
  }
  // Everybody who could write is dead: what a pipe can hold is the most that is left.
  constexpr unsigned kWholePipe = 1024;
  out.read_some(kWholePipe);
  err.read_some(kWholePipe);
  return true;
}

}  // namespace

Result<LauncherAnswer> call_launcher(int launcher, CellRequest request,
                                     std::chrono::milliseconds patience, std::stop_token stop) {
  Pipe out = INSTAR_TRY(make_pipe());
  Pipe err = INSTAR_TRY(make_pipe());
  request.out = std::move(out.write);
  request.err = std::move(err.write);
  const Fd stop_event(::eventfd(0, EFD_CLOEXEC));
  if (!stop_event.valid()) return fail(Error::system("cannot make an eventfd", errno));
  const std::stop_callback on_stop(stop, [&] { ::eventfd_write(stop_event.get(), 1); });

  INSTAR_CHECK(send_request(launcher, request));
  request.out.reset();
  request.err.reset();
  Drain out_drain{std::move(out.read), OutputCapture(request.limits.output_bytes)};
  Drain err_drain{std::move(err.read), OutputCapture(request.limits.output_bytes)};
  const Asked asked{.launcher = launcher, .wall = request.limits.wall, .patience = patience};
  if (!drain_until_answer(asked, stop_event.get(), out_drain, err_drain)) {
    return fail(ErrorCode::kInternal, "the launcher of the cell does not answer",
                "look for a process in state T or D, then start again");
  }
  LauncherAnswer answer;
  answer.end = INSTAR_TRY(receive_end(launcher, &answer.outputs));
  answer.out = std::move(out_drain.capture).finish();
  answer.err = std::move(err_drain.capture).finish();
  return answer;
}

}  // namespace instar::isolation
