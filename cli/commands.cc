#include "cli/commands.h"

#include <array>

#include "cmd_cell_md.h"
#include "cmd_doctor_md.h"
#include "cmd_version_md.h"

namespace instar::cli {

std::span<const Command> commands() {
  static constexpr std::array kCommands{
      Command{"cell", "run any command in an isolated cell", embedded::cmd_cell, declare_cell},
      Command{"doctor", "try what this host can enforce", embedded::cmd_doctor, declare_doctor},
      Command{"version", "print the version and what this build can do", embedded::cmd_version,
              declare_version},
  };
  return kCommands;
}

}  // namespace instar::cli
