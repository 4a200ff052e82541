#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "isolation/cell.h"

namespace instar::isolation {

/// Where the directories of one cell are, as its command sees them.
struct CellPaths {
  std::filesystem::path work;
  std::filesystem::path home;
  std::filesystem::path temp;
  std::filesystem::path out;
};

/// The most that the variables of one command may take together, names and values: with the command
/// itself they travel to the cell in one message.
inline constexpr std::size_t kLargestEnvironment = 64 * 1024;

/// Whether a cell takes this variable. Refused: a name that is no identifier or begins with
/// INSTAR_, one that makes the loader run other code (LD_PRELOAD, LD_AUDIT …; LD_LIBRARY_PATH is
/// allowed), a value with NUL or newline, and more than kLargestEnvironment bytes.
Result<void> check_variable(const EnvVar& variable);

/// The whole environment of a command, as NAME=VALUE: PATH, HOME, LANG, TMPDIR, INSTAR_WORK and
/// INSTAR_OUT, then what `added` names. `added` may replace all but the INSTAR_ names. Refused:
/// what `check_variable` refuses, names given twice, and more than kLargestEnvironment bytes
/// together.
Result<std::vector<std::string>> build_environment(const CellPaths& paths,
                                                   const std::vector<EnvVar>& added);

}  // namespace instar::isolation
