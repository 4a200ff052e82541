#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "isolation/cell.h"

namespace instar::cli {

/// Values of options that CLI parsing leaves as text; an absent one stays absent, a bad one is an
/// error that names the option and shows a good value.

Result<std::optional<std::uint64_t>> positive(const std::string& option,
                                              std::optional<std::uint64_t> value);
/// Any whole number from 0; one that does not fit is no other number.
Result<std::optional<std::uint64_t>> whole_number(const std::string& option,
                                                  const std::optional<std::string>& text);
Result<std::optional<std::chrono::milliseconds>> duration_value(
    const std::string& option, const std::optional<std::string>& text);
Result<std::optional<isolation::Level>> level_value(const std::string& option,
                                                    const std::optional<std::string>& text);

}  // namespace instar::cli
