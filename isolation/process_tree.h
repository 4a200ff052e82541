#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace instar::isolation {

/// What one process has used, in seconds.
struct CpuTime {
  std::uint64_t start = 0;  ///< when it began: with its number, which process it is
  double own_s = 0;
  double waited_s = 0;  ///< of the children that it waited for
};

/// What the living descendants of a process use at one moment.
struct TreeSample {
  std::vector<pid_t> pids;
  std::vector<std::pair<pid_t, CpuTime>> times;  ///< parents before their children
  std::set<pid_t> groups;                        ///< their process groups
  std::uint64_t tasks = 0;         ///< threads, zombies included: what RLIMIT_NPROC counts
  double cpu_s = 0;                ///< user + system, with the children they waited for
  std::uint64_t memory_bytes = 0;  ///< sum of resident sets: pages shared by two count twice
  std::uint64_t mapped_bytes = 0;  ///< sum of address spaces, whether anything is there or not
};

/// Samples the descendants of `root`, without `root`; stops early at `most_tasks`. A process that
/// comes or goes meanwhile may be missed: this is for watching, never for deciding that none is
/// left.
TreeSample sample_tree(pid_t root, std::uint64_t most_tasks = UINT64_MAX);

/// Stops every descendant of `root` where it is found: from then on it cannot fork, and takes no
/// time from whoever looks for the others. Gives them with `root` among them.
std::set<pid_t> stop_tree(pid_t root);

/// Kills what `stop_tree` gave, but for its root, whose parent is no member.
void kill_members(const std::set<pid_t>& family);

/// The sum of proportional set sizes: a page shared by n processes counts 1/n in each. Slower than
/// a sample by an order of magnitude; a process that cannot be asked counts with its resident set.
std::uint64_t proportional_bytes(const std::vector<pid_t>& pids);

/// What the kernel holds to find their pages: no resident set has it, though a program that only
/// reads what it never wrote takes as much of it as it likes.
std::uint64_t page_table_bytes(const std::vector<pid_t>& pids);

/// Threads of every process of this user on the host: what RLIMIT_NPROC compares.
std::uint64_t tasks_of_this_user();

/// What a process has used by now; nothing when it is gone.
std::optional<CpuTime> cpu_time_of(pid_t pid);

/// The parent of a process now; 0 when it is gone.
pid_t parent_of(pid_t pid);

/// The children of a process, of all its threads; one that comes or goes meanwhile may be missed.
std::vector<pid_t> children_of(pid_t pid);

/// What a process has put on for good, and every process that it starts with it.
struct Confinement {
  bool no_new_privs = false;
  unsigned filters = 0;  ///< of system calls
};
/// Of a process that is gone: nothing.
Confinement confinement_of(pid_t pid);

}  // namespace instar::isolation
