#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "isolation/process_tree.h"

namespace instar::isolation {

/// The CPU time of processes that nobody waited for: a parent that ignores SIGCHLD lets the kernel
/// throw it away with the child. Kept from what the looks saw of each process.
///
/// A process that is gone passed all of its time on to an ancestor, or to whoever reaped it; what
/// arrived there is held against what was last seen of those that are gone. So an honest tree loses
/// nothing, and the sum is a lower bound: what a process used after the last look at it, and all of
/// one that lived between two looks, stays unknown.
class CpuAccount {
 public:
  /// Takes a sample of the whole tree; `reaped_s`: what its reaper had got before it was taken.
  void look(const TreeSample& sample, double reaped_s);
  /// Everything is dead and reaped.
  void finish(double reaped_s);

  [[nodiscard]] double lost_s() const { return lost_s_; }

 private:
  using Process = std::pair<pid_t, std::uint64_t>;  ///< a number alone may be another one by now
  using Times = std::map<Process, CpuTime>;
  /// Moves all but the living from `known_` to `gone_s_`: however long it takes until they can be
  /// charged, a look takes no longer for them.
  void bury(const Times& living);
  /// What the living got from their children since `known_`; nothing when one is gone meanwhile.
  [[nodiscard]] std::optional<double> arrived(const Times& living) const;
  /// One of the living went while it was asked: the next look decides, over the longer time.
  void postpone(const Times& living);
  void charge(double gone_s, double arrived_s);

  // Since the last time that was charged: what the living had got from their children then, and
  // what those that are gone by now had used.
  Times known_;
  double gone_s_ = 0;
  double reaped_s_ = 0;
  double lost_s_ = 0;
};

}  // namespace instar::isolation
