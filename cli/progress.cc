#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "base/text.h"

namespace instar::cli {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kRedraw{100};      // faster than an eye follows is waste
constexpr milliseconds kPlainLine{5000};  // a log file needs a sign of life, not a film

/// Cut to the terminal's width, so that a redraw never wraps.
std::string fit_width(const std::string& line) {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const std::size_t width = known ? size.ws_col : 80;
  return line.size() < width ? line : line.substr(0, width - 1);
}

std::string best_so_far(const engine::RunProgress& progress) {
  const engine::Metrics* best =
      progress.champion != nullptr ? &progress.champion->evaluation.metrics : progress.baseline;
  if (best == nullptr) return "";
  const auto now = best->find("tests.failed");
  if (now == best->end()) {
    return progress.champion != nullptr ? "  best " + progress.champion->variant.id : "";
  }
  const auto before = progress.baseline->find("tests.failed");
  if (before == progress.baseline->end() || before->second == now->second) {
    return fmt::format("  tests failed {:g}", now->second);
  }
  return fmt::format("  tests failed {:g} -> {:g}", before->second, now->second);
}

}  // namespace

std::string format_duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

std::string progress_line(const engine::RunProgress& progress) {
  const engine::Counters& count = progress.counters;
  const double rate =
      progress.seconds > 0 ? static_cast<double>(count.evaluated) / progress.seconds : 0;
  std::string line =
      fmt::format("{}/{} evaluated  {:.1f}/s{}  accepted {}  passed {}", count.evaluated,
                  progress.limit, rate, best_so_far(progress), count.accepted, count.passed);
  if (count.timeout > 0) line += fmt::format("  timeout {}", count.timeout);
  if (count.violated > 0) line += fmt::format("  violated {}", count.violated);
  if (count.refused > 0) line += fmt::format("  refused {}", count.refused);
  if (count.infra > 0) line += fmt::format("  infra {}", count.infra);
  if (rate > 0 && progress.limit > count.evaluated) {
    const auto left = static_cast<double>(progress.limit - count.evaluated) / rate;
    line += "  ETA at most " + format_duration(left);
  }
  return line;
}

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear_line(); }

void Progress::clear_line() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

void Progress::on_phase(const std::string& what) {
  if (quiet_) return;
  clear_line();
  std::fprintf(stderr, "%s\n", escape_for_terminal(what).c_str());
}

void Progress::on_progress(const engine::RunProgress& progress) {
  if (quiet_) return;
  const auto now = steady_clock::now();
  if (now - last_ < (terminal_ ? kRedraw : kPlainLine)) return;
  last_ = now;
  if (terminal_) {
    std::fprintf(stderr, "\r%s\x1b[K", fit_width(progress_line(progress)).c_str());
    std::fflush(stderr);
    drawn_ = true;
  } else {
    std::fprintf(stderr, "%s\n", progress_line(progress).c_str());
  }
}

void Progress::on_accepted(const engine::Accepted& accepted, const std::string& why) {
  if (quiet_) return;
  clear_line();
  std::fprintf(stderr, "accepted %s (n=%llu): %s\n  %s\n", accepted.variant.id.c_str(),
               static_cast<unsigned long long>(accepted.variant.n),
               escape_for_terminal(why).c_str(),
               escape_for_terminal(accepted.variant.proposal.purpose).c_str());
}

}  // namespace instar::cli
