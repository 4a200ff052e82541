#pragma once

#include "cli/command.h"

namespace instar::cli {

// One line per verb; each is defined in its cmd_<verb>.cc.
Action declare_cell(CLI::App& app, const Globals& globals);
Action declare_doctor(CLI::App& app, const Globals& globals);
Action declare_evolve(CLI::App& app, const Globals& globals);
Action declare_resume(CLI::App& app, const Globals& globals);
Action declare_status(CLI::App& app, const Globals& globals);
Action declare_log(CLI::App& app, const Globals& globals);
Action declare_show(CLI::App& app, const Globals& globals);
Action declare_diff(CLI::App& app, const Globals& globals);
Action declare_lineage(CLI::App& app, const Globals& globals);
Action declare_rollback(CLI::App& app, const Globals& globals);
Action declare_init(CLI::App& app, const Globals& globals);
Action declare_check(CLI::App& app, const Globals& globals);
Action declare_verify(CLI::App& app, const Globals& globals);
Action declare_version(CLI::App& app, const Globals& globals);

}  // namespace instar::cli
