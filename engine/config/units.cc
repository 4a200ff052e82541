#include "engine/config/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace instar::engine {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Splits "1.5MiB" after the number.
std::pair<std::string_view, std::string_view> split_number(std::string_view text) {
  const auto end =
      std::find_if(text.begin(), text.end(), [](char c) { return !is_digit(c) && c != '.'; });
  const auto length = static_cast<std::size_t>(end - text.begin());
  return {text.substr(0, length), text.substr(length)};
}

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

/// Smallest first, each a multiple of the one before.
constexpr std::array kTimes{Unit{"ms", 1}, Unit{"s", 1000}, Unit{"m", 60'000},
                            Unit{"h", 3'600'000}};
constexpr std::array kSizes{Unit{"B", 1}, Unit{"KiB", 1ULL << 10}, Unit{"MiB", 1ULL << 20},
                            Unit{"GiB", 1ULL << 30}, Unit{"TiB", 1ULL << 40}};

/// Above this a double no longer holds every integer, so rounding would be silent.
constexpr double kExact = 9007199254740992.0;

template <std::size_t N>
std::optional<std::uint64_t> parse_unit(std::string_view text, const std::array<Unit, N>& units) {
  const auto parts = split_number(text);
  const auto unit = std::find_if(units.begin(), units.end(),
                                 [&](const Unit& u) { return u.name == parts.second; });
  const auto value = parse_number(parts.first);
  if (unit == units.end() || !value) return std::nullopt;
  const double scaled = *value * static_cast<double>(unit->factor);
  if (scaled >= kExact) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(scaled));
}

template <std::size_t N>
std::string show_unit(std::uint64_t value, const std::array<Unit, N>& units) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (value != 0 && value % units[i].factor == 0) best = i;
  }
  return std::to_string(value / units[best].factor) + std::string(units[best].name);
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto value = parse_unit(text, kTimes);
  if (!value) return std::nullopt;
  return std::chrono::milliseconds(*value);
}

std::string show_duration(std::chrono::milliseconds value) {
  const auto count = static_cast<std::uint64_t>(value.count());
  // A single minute reads better as the seconds that deadlines are thought in.
  return count == 60'000 ? "60s" : show_unit(count, kTimes);
}

std::optional<std::uint64_t> parse_size(std::string_view text) { return parse_unit(text, kSizes); }

std::string show_size(std::uint64_t bytes) { return show_unit(bytes, kSizes); }

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  // from_chars would take "inf", "nan" and a sign.
  if (text.empty() || !is_digit(text.front()) || !is_digit(text.back())) return std::nullopt;
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> parse_relative(std::string_view text) {
  if (!text.ends_with('%')) return parse_number(text);
  text.remove_suffix(1);
  const auto percent = parse_number(text);
  if (!percent) return std::nullopt;
  return *percent / 100;
}

std::string show_number(double value) {
  std::array<char, 400> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("0");
}

}  // namespace instar::engine
