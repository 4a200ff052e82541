#pragma once

namespace instar::isolation {

/// A guard of a cell that a test can switch off, to show that the attack it stops would otherwise
/// succeed. Exists only in the library that tests link: the product is compiled without
/// INSTAR_TEST_CONTROLS and has no way to run a cell with a guard missing.
enum class Guard {
  kUserDrop,        ///< as root: the slot's own kernel user
  kLandlock,        ///< what of the file system is visible
  kSignalScope,     ///< of Landlock, as on kernels before ABI 6
  kSeccomp,         ///< which system calls are answered
  kCloseFds,        ///< descriptors that the engine and the launcher hold
  kProcessLimit,    ///< RLIMIT_NPROC and the watch on the number of processes
  kMemoryLimit,     ///< RLIMIT_DATA and the watch on the tree's memory
  kWorkspaceWatch,  ///< bytes and inodes below the workspace
  kWorkspaceShut,   ///< as root: only the workspace of the running cell can be reached
  kSweep,           ///< the end of every process that the command left behind
};

#ifdef INSTAR_TEST_CONTROLS
/// Switches a guard off (or on again) for providers made from now on.
void set_guard_off(Guard guard, bool off);
bool guard_off(Guard guard);
#else
constexpr bool guard_off(Guard) { return false; }
#endif

}  // namespace instar::isolation
