#pragma once

#include "base/error.h"

namespace instar::cli {

/// What the shell sees. CI gates on these numbers; they do not change.
enum class ExitCode : int {
  kDone = 0,        ///< evolve: improved
  kNegative = 1,    ///< done, negative result: unchanged, variant rejected
  kUsage = 2,       ///< usage or configuration
  kHostCannot = 3,  ///< the host cannot give the required isolation
  kRefused = 4,     ///< refused by policy, or waiting for approval
  kIntegrity = 5,   ///< ledger or checkpoint integrity
  kCutShort = 6,    ///< a policy cap or a breaker cut the request short
  kInternal = 70,   ///< our fault
  kNoCell = 125,    ///< `instar cell`: the command was not run, or what it gave is lost
  kInterrupted = 130,
};

/// The one bridge from errors to exit codes.
ExitCode exit_code_of(ErrorCode code);

}  // namespace instar::cli
