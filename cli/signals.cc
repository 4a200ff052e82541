#include "cli/signals.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <optional>
#include <utility>

#include "cli/exit_codes.h"

namespace instar::cli {

namespace {

sigset_t handled_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signo : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signo);
  return set;
}

}  // namespace

Signals::Words Signals::of_a_run() {
  return {.stopping = "variants under way are finished and recorded; again to kill them now",
          .ended = "`instar resume` goes on"};
}

Signals::Words Signals::of_a_trial() {
  return {
      .stopping = "the cell under way is finished, and nothing is recorded; again to kill it now",
      .ended = "nothing was recorded"};
}

Signals::Signals(Words words, std::chrono::milliseconds patience)
    : words_(std::move(words)), patience_(patience) {
  const sigset_t set = handled_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // A reader that goes away (a pager, `head`) is an error of the write, not the end of the run.
  ::signal(SIGPIPE, SIG_IGN);
  waiter_ = std::jthread([this](const std::stop_token& end) { wait_for_signals(end); });
}

Signals::~Signals() {
  waiter_.request_stop();
  waiter_.join();
  const sigset_t set = handled_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Signals::wait_for_signals(const std::stop_token& end) {
  const sigset_t set = handled_signals();
  constexpr timespec kLook{.tv_sec = 0, .tv_nsec = 50'000'000};
  std::optional<std::chrono::steady_clock::time_point> killed;
  while (!end.stop_requested()) {
    if (killed && std::chrono::steady_clock::now() - *killed > patience_) {
      // Something holds the engine (a hung disk, a file that never answers). The launchers see it
      // go and end their cells; the record stands as far as it was written.
      std::fprintf(stderr, "instar: it does not stop, and is ended: %s\n", words_.ended.c_str());
      ::_exit(static_cast<int>(ExitCode::kInterrupted));
    }
    if (::sigtimedwait(&set, nullptr, &kLook) < 0) continue;
    if (!drain_.stop_requested()) {
      std::fprintf(stderr, "\ninstar: stopping: %s\n", words_.stopping.c_str());
      drain_.request_stop();
    } else if (!killed) {
      killed = std::chrono::steady_clock::now();
      kill_.request_stop();
    }
  }
}

}  // namespace instar::cli
