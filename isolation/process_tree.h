#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace instar::isolation {

/// What the living descendants of a process use at one moment.
struct TreeSample {
  std::vector<pid_t> pids;
  std::uint64_t tasks = 0;         ///< threads, zombies included: what RLIMIT_NPROC counts
  double cpu_s = 0;                ///< user + system, with the children they waited for
  std::uint64_t memory_bytes = 0;  ///< sum of resident sets: pages shared by two count twice
};

/// Samples the descendants of `root`, without `root`. A process that comes or goes meanwhile may be
/// missed: this is for watching, never for deciding that none is left.
TreeSample sample_tree(pid_t root);

/// The sum of proportional set sizes: a page shared by n processes counts 1/n in each. Slower than
/// a sample by an order of magnitude; a process that cannot be asked counts with its resident set.
std::uint64_t proportional_bytes(const std::vector<pid_t>& pids);

/// The parent of a process now; 0 when it is gone.
pid_t parent_of(pid_t pid);

}  // namespace instar::isolation
