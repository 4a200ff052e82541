#pragma once

#include <linux/filter.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <span>

#include "base/result.h"

namespace instar::isolation {

/// The steps between clone and exec, in their order: a failure is told by its name.
enum class SetupStage : unsigned char {
  kNone,
  kClone,
  kGroup,
  kMounts,
  kCapabilities,
  kSession,
  kStreams,
  kLimits,
  kOomScore,
  kUser,
  kWorkspace,
  kParentDeath,
  kNoNewPrivs,
  kLandlock,
  kDescriptors,
  kSeccomp,
  kExec,
};
const char* to_string(SetupStage stage);

struct LimitEntry {
  int resource;
  rlimit value;
};

/// Everything that the child needs, made before clone: between clone and exec it only makes system
/// calls. The pointers are borrowed.
struct ExecPlan {
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  std::span<const char* const> candidates;  ///< paths to try, as the search path orders them
  int out = -1;
  int err = -1;
  int workspace = -1;  ///< O_PATH, becomes the current directory
  int ruleset = -1;    ///< Landlock; -1 only where a test switched it off
  std::span<const LimitEntry> limits;
  const sock_fprog* filter = nullptr;
  uid_t user = 0;  ///< 0: stay who we are (the launcher is not root)
  gid_t group = 0;
  bool close_descriptors = true;
};

struct Spawned {
  pid_t pid = -1;  ///< to be waited for, also when a stage failed
  SetupStage failed = SetupStage::kNone;
  int error = 0;
};

/// Starts the command. When `failed` is not kNone, no part of it ran. Call only from a
/// single-threaded process: the child borrows its memory until exec.
Spawned spawn_cell(const ExecPlan& plan);

}  // namespace instar::isolation
