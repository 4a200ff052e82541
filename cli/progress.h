#pragma once

#include <chrono>
#include <string>

#include "engine/run/observer.h"

namespace instar::cli {

/// Shows a run on stderr: one line that is redrawn on a terminal, a plain line every few seconds
/// otherwise.
class Progress final : public engine::RunObserver {
 public:
  explicit Progress(bool quiet);
  ~Progress() override;
  /// Leaves a clean line for what is printed next.
  void finish() { clear_line(); }

  void on_phase(const std::string& what) override;
  void on_progress(const engine::RunProgress& progress) override;
  void on_accepted(const engine::Accepted& accepted, const std::string& why) override;

 private:
  void clear_line();

  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

/// "41/1000 evaluated  12.3/s  tests.failed 3 -> 1  accepted 2  passed 0  timeout 2  ETA at most
/// 1m20s"; counts of zero behind `passed` are left out.
std::string progress_line(const engine::RunProgress& progress);

/// "45s", "3m20s", "2h05m".
std::string format_duration(double seconds);

}  // namespace instar::cli
