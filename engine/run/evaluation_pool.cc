#include "engine/run/evaluation_pool.h"

#include <algorithm>
#include <exception>
#include <system_error>

namespace instar::engine {

Result<void> EvaluationPool::start() try {
  sick_.assign(slots_, false);
  for (unsigned slot = 0; slot < slots_; ++slot) {
    workers_.emplace_back([this, slot](std::stop_token end) { work(std::move(end), slot); });
  }
  return {};
} catch (const std::system_error& error) {
  return fail({.code = ErrorCode::kIo,
               .message = "cannot start a thread for each of " + std::to_string(slots_) +
                          " cells at once: " + error.what(),
               .hint = "raise the limit of processes (ulimit -u), or give a smaller --jobs",
               .sys_errno = error.code().value()});
}

EvaluationPool::~EvaluationPool() {
  cancel();
  for (auto& worker : workers_) worker.request_stop();
  workers_.clear();
}

void EvaluationPool::submit(std::uint64_t n, EvaluationRequest request) {
  {
    const std::lock_guard lock(mutex_);
    queue_.emplace_back(n, request);
  }
  work_arrived_.notify_all();  // the one that is told might be one that may not
}

std::optional<EvaluationPool::Finished> EvaluationPool::wait(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  result_arrived_.wait_for(lock, at_most, [&] { return woken_ || !finished_.empty(); });
  woken_ = false;
  if (finished_.empty()) return std::nullopt;
  Finished first = std::move(finished_.front());
  finished_.pop_front();
  return first;
}

void EvaluationPool::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  result_arrived_.notify_all();
}

void EvaluationPool::cancel() {
  cancel_.request_stop();
  const std::lock_guard lock(mutex_);
  queue_.clear();
  finished_.clear();
}

std::size_t EvaluationPool::in_flight() const {
  const std::lock_guard lock(mutex_);
  return queue_.size() + running_ + finished_.size();
}

bool EvaluationPool::may_work(unsigned slot) const {
  return !sick_[slot] || std::find(sick_.begin(), sick_.end(), false) == sick_.end();
}

void EvaluationPool::work(std::stop_token end, unsigned slot) {
  std::unique_lock lock(mutex_);
  while (work_arrived_.wait(lock, end, [&] { return !queue_.empty() && may_work(slot); })) {
    auto [n, request] = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    lock.unlock();
    request.slot = slot;
    Evaluation evaluation;
    try {
      evaluation = evaluator_.evaluate(request, cancel_.get_token());
    } catch (const std::exception& error) {
      // A fault of ours, never the variant's: the breaker for infrastructure counts it.
      evaluation.verdict = Verdict::kInfra;
      evaluation.reason = std::string("the evaluator failed: ") + error.what();
    }
    lock.lock();
    --running_;
    sick_[slot] = evaluation.verdict == Verdict::kInfra && !cancel_.stop_requested();
    work_arrived_.notify_all();
    if (!cancel_.stop_requested()) {
      finished_.push_back({n, std::move(evaluation)});
      result_arrived_.notify_all();
    }
  }
}

}  // namespace instar::engine
