#include "cli/commands.h"

#include <array>

#include "cmd_version_md.h"

namespace instar::cli {

std::span<const Command> commands() {
  static constexpr std::array kCommands{
      Command{"version", "print the version and what this build can do", embedded::cmd_version,
              declare_version},
  };
  return kCommands;
}

}  // namespace instar::cli
