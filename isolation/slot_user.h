#pragma once

#include <sys/types.h>

#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace instar::isolation {

/// A kernel user that one slot has for itself on this host, as long as the lock is held.
struct SlotUser {
  uid_t user = 0;  ///< 0: this process is not root, cells run as its own user
  gid_t group = 0;
  Fd lock;  ///< also held by the slot's launcher, until everything of the user is dead

  /// Writes into the lock that cells run as this user: what is found of it after a crash is theirs.
  Result<void> mark_used() const;
  /// Takes the mark back, when everything of the user is dead.
  void mark_clean() const;
};

/// Takes `count` users: never 0, never an account of the host, never one that another engine on
/// this host holds, and never one of a living process, unless the mark says that a cell left it.
/// kHostCannot where no such user is free, or where /proc does not tell whose processes live. Not
/// as root: `count` entries that name nobody.
Result<std::vector<SlotUser>> take_slot_users(unsigned count);

}  // namespace instar::isolation
