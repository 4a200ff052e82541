#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "cli/metric_text.h"
#include "cli/terminal.h"

namespace instar::cli {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kRedraw{100};      // faster than an eye follows is waste
constexpr milliseconds kPlainLine{5000};  // a log file needs a sign of life, not a film

/// Cut to the terminal's width, so that a redraw never wraps.
std::string fit_width(const std::string& line) {
  const std::size_t width = terminal_width(STDERR_FILENO).value_or(80);
  return fitted(line, width - 1);
}

/// What the objectives of the best so far are, as the run sees them.
std::string best_so_far(const engine::RunProgress& progress) {
  if (progress.baseline == nullptr || progress.objectives == nullptr) return "";
  const engine::Metrics& best =
      progress.champion != nullptr ? progress.champion->evaluation.metrics : *progress.baseline;
  const std::string text = changes_text(*progress.objectives, best, *progress.baseline);
  return text.empty() ? "" : "  " + text;
}

/// Seconds until the variants are evaluated at the rate of this stretch, or until its time is over.
double seconds_left(const engine::RunProgress& progress, double rate) {
  const auto variants = static_cast<double>(progress.limit - progress.counters.evaluated) / rate;
  return progress.wall_s > 0 ? std::min(variants, progress.wall_s - progress.seconds) : variants;
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
  const auto measured = static_cast<double>(count.evaluated - progress.on_record);
  const double rate = progress.seconds > 0 ? measured / progress.seconds : 0;
  std::string line =
      fmt::format("{}/{} evaluated  {:.1f}/s{}  accepted {}  passed {}", count.evaluated,
                  progress.limit, rate, best_so_far(progress), count.accepted, count.passed);
  if (count.timeout > 0) line += fmt::format("  timeout {}", count.timeout);
  if (count.violated > 0) line += fmt::format("  violated {}", count.violated);
  if (count.refused > 0) line += fmt::format("  refused {}", count.refused);
  if (count.infra > 0) line += fmt::format("  infra {}", count.infra);
  if (rate > 0 && progress.limit > count.evaluated) {
    line += "  ETA at most " + format_duration(std::max(0.0, seconds_left(progress, rate)));
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
