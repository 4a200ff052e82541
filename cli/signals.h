#pragma once

#include <chrono>
#include <stop_token>
#include <thread>

#include "engine/run/loop.h"

namespace instar::cli {

/// Ctrl-C once: finish what runs, record it, stop. Twice: kill the cells, stop; when that takes
/// longer than `patience`, the process ends at once with exit 130, and its launchers end the cells.
/// SIGTERM and SIGHUP count the same. Made before any other thread, since it blocks the signals for
/// all of them and waits for them in a thread of its own.
class Signals {
 public:
  explicit Signals(std::chrono::milliseconds patience = std::chrono::seconds(10));
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  [[nodiscard]] engine::RunControl control() const {
    return {.drain = drain_.get_token(), .kill = kill_.get_token()};
  }

 private:
  void wait_for_signals(const std::stop_token& end);

  std::chrono::milliseconds patience_;
  std::stop_source drain_;
  std::stop_source kill_;
  std::jthread waiter_;
};

}  // namespace instar::cli
