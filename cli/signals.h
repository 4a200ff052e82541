#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "engine/run/loop.h"

namespace instar::cli {

/// Ctrl-C once: finish what runs, record it, stop. Twice: kill the cells, stop; when that takes
/// longer than `patience`, the process ends at once with exit 130, and its launchers end the cells.
/// SIGTERM and SIGHUP count the same. Made before any other thread, since it blocks the signals for
/// all of them and waits for them in a thread of its own.
class Signals {
 public:
  /// What the first one is answered with, and what is said when the process ends at once.
  struct Words {
    std::string stopping;
    std::string ended;
  };
  /// Of a run, whose results are recorded.
  static Words of_a_run();
  /// Of a look at the base, which records nothing.
  static Words of_a_trial();

  explicit Signals(Words words = of_a_run(),
                   std::chrono::milliseconds patience = std::chrono::seconds(10));
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  [[nodiscard]] engine::RunControl control() const {
    return {.drain = drain_.get_token(), .kill = kill_.get_token()};
  }

 private:
  void wait_for_signals(const std::stop_token& end);

  Words words_;
  std::chrono::milliseconds patience_;
  std::stop_source drain_;
  std::stop_source kill_;
  std::jthread waiter_;
};

}  // namespace instar::cli
