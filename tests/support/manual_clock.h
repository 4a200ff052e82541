#pragma once

#include <chrono>

#include "base/clock.h"

namespace instar {

/// A clock that stands still until it is told to move.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] std::chrono::system_clock::time_point now() const override { return now_; }
  [[nodiscard]] std::chrono::steady_clock::time_point steady() const override {
    return std::chrono::steady_clock::time_point(now_.time_since_epoch());
  }
  void advance(std::chrono::milliseconds by) { now_ += by; }

 private:
  std::chrono::system_clock::time_point now_{std::chrono::seconds(1800000000)};
};

}  // namespace instar
