#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>

#include "base/fd.h"
#include "base/result.h"
#include "isolation/cell_cgroup.h"
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

  struct Options {
    /// The files lie in file systems of bounded size, and the command has a process above it that
    /// is not its own.
    bool namespaced = false;
    const CellGroup* group = nullptr;  ///< where the cell's processes are, if there is one
  };
  /// Before the command starts: it holds the directories of the cell, which the command may hide
  /// from whoever looks for them by name.
  static Result<CellWatch> make(const CellRequest& request, Clock::time_point start,
                                const Options& options);

  /// When to look next.
  [[nodiscard]] Clock::time_point next_look() const;
  /// Looks at what is due. `reaped_cpu_s`: used by processes that are gone.
  LimitHit look(Clock::time_point now, double reaped_cpu_s);
  /// The last look, after the end: what the command left is what the next stage finds,
  /// and what is copied for a repeat.
  LimitHit final_look() {
    const LimitHit hit = look_at_group();
    return hit != LimitHit::kNone ? hit : look_at_files();
  }

  /// From the end of a look that took so long to the start of the next: 10 to 50 ms for processes,
  /// 100 to 250 ms for files.
  static Clock::duration process_pause(Clock::duration took);
  static Clock::duration file_pause(Clock::duration took);

  /// Everything is dead. The CPU time of all of it: with a group, what the kernel counted; else
  /// what was reaped, and a lower bound for processes that nobody waited for.
  double finish_cpu(double reaped_cpu_s);

  [[nodiscard]] std::uint64_t peak_bytes() const { return peak_bytes_; }

 private:
  CellWatch(const CellRequest& request, Clock::time_point start, const Options& options,
            Fd workspace, Fd cell);
  LimitHit look_at_processes(double reaped_cpu_s);
  LimitHit look_at_group();
  LimitHit look_at_files();
  [[nodiscard]] LimitHit look_at_room() const;

  const CellRequest& request_;
  Options options_;
  GroupUsage before_;
  Fd workspace_;
  Fd cell_;
  Clock::time_point wall_deadline_;
  Clock::time_point processes_due_;
  Clock::time_point files_due_;
  CpuAccount cpu_;
  std::uint64_t peak_bytes_ = 0;
};

}  // namespace instar::isolation
