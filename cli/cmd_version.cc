#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"

namespace instar::cli {

Action declare_version(CLI::App&, const Globals& globals) {
  return [&globals]() -> Result<ExitCode> {
    if (globals.json) {
      print_json({{"version", INSTAR_VERSION}});
    } else {
      std::printf("instar %s\n", INSTAR_VERSION);
    }
    return ExitCode::kDone;
  };
}

}  // namespace instar::cli
