#pragma once

#include <chrono>
#include <string>

namespace instar {

/// The seam to time, so that the loop can be tested without waiting.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Wall-clock time, for records; may jump.
  [[nodiscard]] virtual std::chrono::system_clock::time_point now() const = 0;
  /// Time that only moves forward, for deadlines and rates.
  [[nodiscard]] virtual std::chrono::steady_clock::time_point steady() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] std::chrono::system_clock::time_point now() const override {
    return std::chrono::system_clock::now();
  }
  [[nodiscard]] std::chrono::steady_clock::time_point steady() const override {
    return std::chrono::steady_clock::now();
  }
};

/// "2026-01-31T12:34:56.789Z": sortable, UTC, milliseconds.
std::string format_utc(std::chrono::system_clock::time_point time);

}  // namespace instar
