#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace instar::engine {

// Values with their unit, as configuration files and options write them. Each `parse` gives nothing
// for text of another form, for a sign, and for a number that does not fit; each `show` writes what
// its `parse` reads back to the same value.

/// "250ms", "1.5s", "60s", "5m", "8h"; a bare number is refused, since nobody can tell its unit.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
std::string show_duration(std::chrono::milliseconds value);

/// "512B", "64KiB", "1.5MiB", "2GiB", "1TiB": powers of 1024, in bytes.
std::optional<std::uint64_t> parse_size(std::string_view text);
std::string show_size(std::uint64_t bytes);

/// Decimal digits only.
std::optional<std::uint64_t> parse_count(std::string_view text);

/// "0.25", "12", "3.5": a finite, non-negative decimal number without exponent.
std::optional<double> parse_number(std::string_view text);
/// As a number, or as a percentage: "10%" is 0.1.
std::optional<double> parse_relative(std::string_view text);
std::string show_number(double value);

}  // namespace instar::engine
