#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace instar::cli {

/// Paths of the workspace that a command of a stage may be running: its programs (`./bench`), the
/// scripts and modules that it hands to an interpreter (`python3 bench.py`, `-m bench`), the files
/// that `make` reads. A guess for a warning: quotes and variables of the shell are not understood.
std::vector<std::string> files_run_by(std::string_view command);

}  // namespace instar::cli
