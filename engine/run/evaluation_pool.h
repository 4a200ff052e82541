#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/result.h"
#include "engine/evaluation/evaluation.h"

namespace instar::engine {

/// Evaluates variants side by side: one thread per slot. Results come back in any order; who uses
/// them brings them into order. A slot whose last result was a fault of ours takes no more work as
/// long as another one is sound: failing at once, it would take all of it.
class EvaluationPool {
 public:
  EvaluationPool(Evaluator& evaluator, unsigned slots) : evaluator_(evaluator), slots_(slots) {}
  EvaluationPool(const EvaluationPool&) = delete;
  EvaluationPool& operator=(const EvaluationPool&) = delete;
  /// Stops what runs, and waits for it.
  ~EvaluationPool();

  struct Finished {
    std::uint64_t n = 0;
    Evaluation evaluation;
  };

  /// Starts the threads; kIo when the host gives no more of them.
  Result<void> start();
  /// `request.slot` is set by the worker that takes it.
  void submit(std::uint64_t n, EvaluationRequest request);
  /// The next result; nothing when `wake` was called or `at_most` has passed.
  std::optional<Finished> wait(std::chrono::milliseconds at_most);
  /// Ends a `wait` that is under way, or the next one. Safe from any thread.
  void wake();
  /// Kills the running cells and drops what waits. Results of killed attempts are not handed out.
  void cancel();

  [[nodiscard]] std::size_t in_flight() const;
  [[nodiscard]] unsigned slots() const { return slots_; }

 private:
  void work(std::stop_token end, unsigned slot);
  /// With the mutex held.
  [[nodiscard]] bool may_work(unsigned slot) const;

  Evaluator& evaluator_;
  unsigned slots_;
  mutable std::mutex mutex_;
  std::condition_variable_any work_arrived_;
  std::condition_variable result_arrived_;
  std::deque<std::pair<std::uint64_t, EvaluationRequest>> queue_;
  std::deque<Finished> finished_;
  std::vector<bool> sick_;
  std::size_t running_ = 0;
  bool woken_ = false;
  std::stop_source cancel_;
  std::vector<std::jthread> workers_;
};

}  // namespace instar::engine
