#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/fd.h"
#include "base/result.h"

namespace instar::isolation {

/// What everything that was reaped has used, and how the command itself ended.
struct Reaped {
  std::optional<int> command_status;  ///< as wait(2) gives it
  double cpu_s = 0;
  std::uint64_t largest_bytes = 0;  ///< largest resident set of any one process
};

/// Ends and reaps the children of a launcher. The launcher is a subreaper: whatever a command
/// leaves behind (setsid, double fork, daemons) becomes its child, so that no child left means no
/// process left.
class TreeReaper {
 public:
  /// How everything of a cell is reached.
  enum class Reach {
    kUser,      ///< by the slot's own user, which the launcher may become
    kTree,      ///< process by process, as children of children
    kChildren,  ///< each child is the first process of a pid namespace, which ends with it
  };
  /// `user`: with kUser, the slot's own. `child_event`: readable when a child ended.
  TreeReaper(Reach reach, uid_t user, gid_t group, int child_event)
      : reach_(reach), user_(user), group_(group), child_event_(child_event) {}

  /// Reaps what has ended so far; true while a child is left. Takes the end of `command` once: a
  /// later process of the same number is another one. -1: none of them is the command.
  bool reap(pid_t command, Reaped& reaped) const;

  /// Kills until no child is left. False when some process did not die within `patience`: one that
  /// the kernel holds in an uninterruptible wait.
  bool end_all(pid_t command, Reaped& reaped, std::chrono::milliseconds patience) const;

 private:
  void kill_once() const;
  Reach reach_;
  uid_t user_;
  gid_t group_;
  int child_event_;
};

/// Kills every process of a user, in one call that no fork can slip past. True when there was
/// nothing to refuse it, and nothing to stop the one who kills: then ask again. Never for user 0.
bool kill_all_of_user(uid_t user, gid_t group);

}  // namespace instar::isolation
