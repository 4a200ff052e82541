#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace instar::isolation {

/// The Landlock ABI of the running kernel; 0 when it has none or it is switched off.
///
/// What each adds for us: 1 reading, writing, executing, making and removing files; 2 link and
/// rename between directories (before it: always refused); 3 truncation (before it: the truncate
/// call is filtered); 4 TCP ports (sockets are filtered anyway); 5 ioctl on devices; 6 signals and
/// abstract unix sockets to the world outside.
int landlock_abi();

enum class FileAccess {
  kRead,         ///< one file: read
  kReadExecute,  ///< a tree: list, read, execute
  kReadTree,     ///< a tree: list and read
  kReadWrite,    ///< one device file: read and write
  kFull,         ///< a tree: everything but devices
};

/// One place that a cell may see, by an O_PATH descriptor that is held.
struct VisiblePlace {
  Fd fd;
  FileAccess access;
};

/// Builds the rules of one cell. Everything that is not named is refused, and so are signals to and
/// abstract sockets of processes outside, where the ABI can.
Result<Fd> make_ruleset(int abi, const std::vector<VisiblePlace>& system,
                        const std::vector<VisiblePlace>& own);

/// The parts of the host's file system that every guarded cell sees. What does not exist is left
/// out.
Result<std::vector<VisiblePlace>> open_system_view();

/// What every namespace cell sees of its root: all there is, which is no more than it needs.
Result<std::vector<VisiblePlace>> open_root_view();

/// The directories of `open_system_view`, for refusing a target that lies inside one.
std::vector<std::string> visible_host_directories();

}  // namespace instar::isolation
