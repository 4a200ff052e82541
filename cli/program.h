#pragma once

namespace instar::cli {

/// The whole program: parses the arguments, runs one command, gives the exit code.
int run_program(int argc, char** argv);

}  // namespace instar::cli
