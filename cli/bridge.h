#pragma once

#include "base/result.h"
#include "cli/command.h"

namespace instar::cli {

/// Runs a command's action. An exception that escapes it becomes an Error: one of the system
/// (threads, files, memory) kIo, any other kInternal.
Result<ExitCode> run_action(const Action& action);

/// Tells a failure (see print_error), writes out what stands in stdout's buffer and gives the exit
/// code. Where stdout cannot be written that is told too, after the command's own error, which is
/// never lost with it; it is `globals.lost_output` unless the command has failed already.
int finish(const Result<ExitCode>& result, const Globals& globals);

}  // namespace instar::cli
