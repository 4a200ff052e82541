#include "base/clock.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace instar {

std::string format_utc(std::chrono::system_clock::time_point time) {
  const auto since_epoch =
      std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count();
  const auto seconds = static_cast<std::time_t>(since_epoch / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                parts.tm_sec, static_cast<int>(since_epoch % 1000));
  return text.data();
}

}  // namespace instar
