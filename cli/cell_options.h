#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "isolation/cell.h"

namespace instar::cli {

/// The two sides of NAME=VALUE, split at the first `=`; an error names the option.
Result<std::pair<std::string, std::string>> name_and_value(const std::string& option,
                                                           const std::string& text);

/// Sets one limit from KEY=VALUE: durations for wall and cpu, sizes (2GiB) for memory, file_size,
/// workspace, output and outputs, counts for processes, open_files and inodes.
Result<void> set_limit(isolation::Limits& limits, const std::string& text);

}  // namespace instar::cli
