#pragma once

#include <sys/types.h>

#include "base/result.h"

namespace instar::isolation {

/// Who the processes of a slot's cells are to the host.
struct IdMap {
  uid_t user = 0;    ///< the cells' own (kInsideUser to them); its group has the same number
  uid_t keeper = 0;  ///< owner of what they must not change (kInsideKeeper); 0: there is none
  bool by_root = false;
};

/// In the process that is to start cells: a user namespace in which it has every capability and
/// outside of which it has none, with mounts, a network without any device up, and a host name of
/// its own; no further user namespace can be made in it. Asks over `socket` for its ids and waits
/// for them. kHostCannot names what the kernel refused and what mends it.
Result<void> enter_namespaces(int socket);

/// On the other side, when that process asked for its ids.
Result<void> give_ids(pid_t process, const IdMap& ids, int socket);

/// The byte by which it asks.
inline constexpr char kAskForIds = '\1';

}  // namespace instar::isolation
