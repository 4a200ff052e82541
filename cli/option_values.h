#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "base/result.h"
#include "isolation/cell.h"

namespace instar::cli {

/// Values of options that CLI parsing leaves as text; an absent one stays absent, a bad one is an
/// error that names the option and shows a good value.

/// Any whole number from 0; one that does not fit is no other number.
Result<std::optional<std::uint64_t>> whole_number(const std::string& option,
                                                  const std::optional<std::string>& text);
/// A whole number from 1 to `most`.
Result<std::optional<std::uint64_t>> positive_number(
    const std::string& option, const std::optional<std::string>& text,
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
/// What `--jobs` may say: more than any machine has, and it fits the type.
constexpr std::uint64_t kMostJobs = std::numeric_limits<unsigned>::max();
Result<std::optional<std::chrono::milliseconds>> duration_value(
    const std::string& option, const std::optional<std::string>& text);
Result<std::optional<isolation::Level>> level_value(const std::string& option,
                                                    const std::optional<std::string>& text);

}  // namespace instar::cli
