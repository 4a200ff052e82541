#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "isolation/limits.h"

namespace instar::cli {

/// The two sides of NAME=VALUE, split at the first `=`; an error names the option.
Result<std::pair<std::string, std::string>> name_and_value(const std::string& option,
                                                           const std::string& text);

/// Sets one limit from KEY=VALUE, as `cell:` of a policy reads it: the same keys, units and ranges.
Result<void> set_limit(isolation::Limits& limits, const std::string& text);

}  // namespace instar::cli
