#include "cli/program.h"

int main(int argc, char** argv) { return instar::cli::run_program(argc, argv); }
