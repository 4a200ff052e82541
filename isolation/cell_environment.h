#pragma once

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

/// The whole environment of a command, as NAME=VALUE: PATH, HOME, LANG, TMPDIR, INSTAR_WORK and
/// INSTAR_OUT, then what `added` names. `added` may replace all but the INSTAR_ names. Refused:
/// names that are no identifiers, names given twice, values with NUL or newline, and names that
/// make the loader run other code (LD_PRELOAD, LD_AUDIT …; LD_LIBRARY_PATH is allowed).
Result<std::vector<std::string>> build_environment(const CellPaths& paths,
                                                   const std::vector<EnvVar>& added);

}  // namespace instar::isolation
