#pragma once

#include <string>
#include <utility>

namespace instar {

/// What kind of fault an error is. `cli/exit_codes.h` maps each kind to the exit code of the
/// program.
enum class ErrorCode {
  kInvalidInput,  ///< a file, option or value the user gave is wrong
  kNotFound,      ///< something the user named does not exist
  kBusy,          ///< somebody else holds it (a lock)
  kHostCannot,    ///< this host cannot give the isolation that is required
  kRefused,       ///< policy says no
  kIntegrity,     ///< a ledger, checkpoint or ref is not what it should be
  kInterrupted,   ///< the user asked to stop
  kIo,            ///< the system refused: disk full, no permission, no descriptors
  kInternal,      ///< our own mistake
};

/// A failure, told so that a person can act on it: what was being done, on what, why it failed,
/// what to do.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  ///< what and why, one sentence, no final period
  std::string hint;     ///< what to do; may be empty
  int sys_errno = 0;    ///< errno of the failed call, or 0

  /// Puts "doing: " before the message, e.g. `while_doing("reading safety.yaml")`.
  [[nodiscard]] Error while_doing(const std::string& doing) const {
    Error wrapped = *this;
    wrapped.message = doing + ": " + message;
    return wrapped;
  }

  /// An error of a system call: appends the errno's text.
  static Error system(const std::string& doing, int err);
};

}  // namespace instar
