#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "cli/exit_codes.h"

namespace CLI {
class App;
}

namespace instar::cli {

/// Options that every command takes.
struct Globals {
  std::filesystem::path directory = ".";       ///< -C DIR
  bool json = false;                           ///< one JSON object on stdout, also on error
  ExitCode lost_output = ExitCode::kInternal;  ///< where stdout cannot be written
  bool color = false;  ///< stdout is a terminal that has colour, and NO_COLOR is not set
};

/// What a command does once its options are parsed. Prints its data to stdout; errors are told
/// by the one bridge (bridge.h).
using Action = std::function<Result<ExitCode>()>;

/// One verb of the program: cmd_<name>.cc and cmd_<name>.md.
struct Command {
  std::string_view name;
  std::string_view summary;  ///< one line for `instar --help`
  std::string_view manual;   ///< the text of cmd_<name>.md: --help and the man page, examples first
  /// Declares the options on `app`, bound to state that the returned action owns.
  Action (*declare)(CLI::App& app, const Globals& globals);
  /// What a mistake in its options exits with, where 2 could be the answer of what it runs.
  ExitCode usage = ExitCode::kUsage;
};

/// Every verb, in the order of `instar --help`.
std::span<const Command> commands();

}  // namespace instar::cli
