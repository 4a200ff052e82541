#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "isolation/guard_control.h"
#include "isolation/limits.h"

namespace instar::isolation {

/// What a group of processes has used, and how often it was refused more.
struct GroupUsage {
  double cpu_s = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t out_of_memory = 0;  ///< processes that the kernel killed for want of memory
  std::uint64_t no_process = 0;     ///< forks that were refused
};

/// The kernel's own account of one slot's cells: their memory, processes and CPU time together,
/// whatever they start, bounded by the kernel. One group in each of the hierarchies that this host
/// has (v1), below the group of this process.
class CellGroup {
 public:
  /// Makes the groups. Nothing: this process may make none (`why` says so), as an ordinary user on
  /// a host that delegates nothing.
  static Result<std::optional<CellGroup>> make(const std::string& name, std::string& why);

  CellGroup(CellGroup&&) noexcept = default;
  CellGroup& operator=(CellGroup&&) = delete;
  CellGroup(const CellGroup&) = delete;
  CellGroup& operator=(const CellGroup&) = delete;
  ~CellGroup();

  /// Bounds memory and processes of the next cell. With no process in it.
  Result<void> set_limits(const Limits& limits);

  /// What a process needs that enters or asks, for whoever must keep it open.
  [[nodiscard]] std::vector<int> descriptors() const;

  /// Puts the calling process in. Only system calls: for a child that has no memory of its own yet.
  [[nodiscard]] bool enter() const;

  /// Since the group was made; the peak since the last limits were set.
  [[nodiscard]] Result<GroupUsage> usage() const;

 private:
  CellGroup() = default;
  Result<void> add(const std::string& controller, const std::string& name);

  struct Directory {
    std::string path;
    Fd held;
    Fd tasks;
  };
  std::vector<Directory> directories_;
  Fd memory_limit_;
  Fd memory_peak_;
  Fd memory_events_;
  Fd process_limit_;
  Fd process_events_;
  Fd cpu_;
  bool unbound_memory_ = guard_off(Guard::kMemoryLimit);
  bool unbound_processes_ = guard_off(Guard::kProcessLimit);
  std::uint64_t memory_set_ = 0;
  std::uint64_t processes_set_ = 0;
};

}  // namespace instar::isolation
