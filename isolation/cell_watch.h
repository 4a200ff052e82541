#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>

#include "base/fd.h"
#include "base/result.h"
#include "isolation/cpu_account.h"
#include "isolation/launcher_protocol.h"

namespace instar::isolation {

/// Looks at the tree of one cell from time to time and tells which limit it has passed.
///
/// How often: processes every 10 ms, so that a program which takes memory as fast as the kernel
/// gives it (some GiB/s) passes its limit by tens of MiB; files every 100 ms, since a look costs a
/// call per entry. Where a look takes long, the pause before the next one grows, so that looking
/// takes at most 5% of a core, but within bounds: however many files a program makes first, what it
/// does afterwards is seen.
class CellWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// Before the command starts: it holds the directories of the cell, which the command may hide
  /// from whoever looks for them by name.
  static Result<CellWatch> make(const CellRequest& request, Clock::time_point start);

  /// When to look next.
  [[nodiscard]] Clock::time_point next_look() const;
  /// Looks at what is due. `reaped_cpu_s`: used by processes that are gone.
  LimitHit look(Clock::time_point now, double reaped_cpu_s);
  /// The last look at the files, after the end: what the command left is what the next stage finds,
  /// and what is copied for a repeat.
  LimitHit final_look() { return look_at_files(); }

  /// From the end of a look that took so long to the start of the next: 10 to 50 ms for processes,
  /// 100 to 250 ms for files.
  static Clock::duration process_pause(Clock::duration took);
  static Clock::duration file_pause(Clock::duration took);

  /// Everything is dead. Gives the CPU time of processes that nobody waited for: a lower bound.
  double finish_cpu(double reaped_cpu_s) {
    cpu_.finish(reaped_cpu_s);
    return cpu_.lost_s();
  }

  [[nodiscard]] std::uint64_t peak_bytes() const { return peak_bytes_; }

 private:
  CellWatch(const CellRequest& request, Clock::time_point start, Fd workspace, Fd cell);
  LimitHit look_at_processes(double reaped_cpu_s);
  LimitHit look_at_files();

  const CellRequest& request_;
  Fd workspace_;
  Fd cell_;
  Clock::time_point wall_deadline_;
  Clock::time_point processes_due_;
  Clock::time_point files_due_;
  CpuAccount cpu_;
  std::uint64_t peak_bytes_ = 0;
};

}  // namespace instar::isolation
