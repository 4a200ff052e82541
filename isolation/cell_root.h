#pragma once

#include <filesystem>

#include "base/result.h"

namespace instar::isolation {

/// Where things are in the root that every namespace cell has.
namespace cell_path {
inline constexpr const char* kWork = "/work";
inline constexpr const char* kHome = "/home";
inline constexpr const char* kTemp = "/tmp";
inline constexpr const char* kOut = "/out";
inline constexpr const char* kShm = "/dev/shm";
/// What the launcher needs of the host. A cell lets go of it before its command starts.
inline constexpr const char* kHost = "/.host";
inline constexpr const char* kScratch = "/.host/scratch";  ///< of the engine, read-only
inline constexpr const char* kWorkspaces = "/.host/ws";    ///< one directory each
inline constexpr const char* kHostProc = "/.host/proc";
inline constexpr const char* kCell = "/.host/cell";  ///< where a cell's own tmpfs is put
}  // namespace cell_path

/// The user and group that a cell's processes are, as they see it.
inline constexpr unsigned kInsideUser = 1000;
/// The owner of what a cell may read and never change, where there is one.
inline constexpr unsigned kInsideKeeper = 0;

/// Makes a root of its own for the calling process and enters it: an empty tmpfs with /usr and the
/// needed parts of /etc read-only, a few devices, and the places above. Nothing else of the host
/// can be reached by a path from then on. The caller has a mount namespace of its own and every
/// capability in its user namespace; it makes this once, and each cell gets a copy of the mounts.
/// kHostCannot names what the kernel refused.
Result<void> enter_cell_root(const std::filesystem::path& scratch);

}  // namespace instar::isolation
