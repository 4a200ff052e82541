#include "cli/exit_codes.h"

namespace instar::cli {

ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
    case ErrorCode::kNotFound:
    case ErrorCode::kBusy:
      return ExitCode::kUsage;
    case ErrorCode::kHostCannot:
      return ExitCode::kHostCannot;
    case ErrorCode::kRefused:
      return ExitCode::kRefused;
    case ErrorCode::kIntegrity:
      return ExitCode::kIntegrity;
    case ErrorCode::kInterrupted:
      return ExitCode::kInterrupted;
    case ErrorCode::kIo:
    case ErrorCode::kInternal:
      break;
  }
  return ExitCode::kInternal;
}

}  // namespace instar::cli
