#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "engine/run/evaluation_pool.h"

namespace instar::engine {
namespace {

class NoEvaluator final : public Evaluator {
 public:
  Result<Baseline> baseline(std::stop_token) override { return Baseline{}; }
  Result<void> adopt(Baseline, std::stop_token) override { return {}; }
  Evaluation evaluate(const EvaluationRequest&, std::stop_token) override { return {}; }
};

/// The exit code of a process that starts a pool: 0 started, 1 refused as it should be.
int start_pool_in_a_child(bool without_threads) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (without_threads) {
      // Root has no such limit; a user that no other process has, and its only process, does.
      if (::geteuid() == 0 && ::setresuid(64127, 64127, 64127) != 0) _exit(9);
      const rlimit none{0, 0};
      if (::setrlimit(RLIMIT_NPROC, &none) != 0) _exit(9);
    }
    NoEvaluator evaluator;
    EvaluationPool pool(evaluator, 4);
    const auto started = pool.start();
    if (!started) _exit(started.error().code == ErrorCode::kIo ? 1 : 2);
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(EvaluationPool, AHostThatGivesNoThreadsIsAnErrorNotACrash) {
  EXPECT_EQ(start_pool_in_a_child(true), 1);
  EXPECT_EQ(start_pool_in_a_child(false), 0) << "with threads it starts";
}

/// Slot 0 is lost: what it gets fails at once. The others take their time.
class OneLostSlot final : public Evaluator {
 public:
  Result<Baseline> baseline(std::stop_token) override { return Baseline{}; }
  Result<void> adopt(Baseline, std::stop_token) override { return {}; }
  Evaluation evaluate(const EvaluationRequest& request, std::stop_token) override {
    Evaluation evaluation;
    evaluation.verdict = request.slot == 0 ? Verdict::kInfra : Verdict::kPassed;
    if (request.slot == 0) ++failures;
    if (request.slot != 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return evaluation;
  }
  std::atomic<int> failures = 0;
};

TEST(EvaluationPool, ALostSlotTakesNoMoreWorkWhileAnotherIsSound) {
  OneLostSlot evaluator;
  EvaluationPool pool(evaluator, 2);
  ASSERT_TRUE(pool.start());
  constexpr std::uint64_t kVariants = 50;
  for (std::uint64_t n = 1; n <= kVariants; ++n) pool.submit(n, {});
  std::uint64_t passed = 0;
  for (std::uint64_t got = 0; got < kVariants;) {
    const auto finished = pool.wait(std::chrono::seconds(10));
    ASSERT_TRUE(finished);
    ++got;
    if (finished->evaluation.verdict == Verdict::kPassed) ++passed;
    if (finished->evaluation.verdict == Verdict::kInfra) {
      pool.submit(finished->n, {});  // the second attempt
      --got;
    }
  }
  EXPECT_EQ(passed, kVariants);
  EXPECT_LE(evaluator.failures, 1);
}

TEST(EvaluationPool, WhereAllSlotsAreLostTheyGoOnAndAreHeard) {
  OneLostSlot evaluator;
  EvaluationPool pool(evaluator, 1);
  ASSERT_TRUE(pool.start());
  for (std::uint64_t n = 1; n <= 3; ++n) pool.submit(n, {});
  for (int i = 0; i < 3; ++i) {
    const auto finished = pool.wait(std::chrono::seconds(10));
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->evaluation.verdict, Verdict::kInfra);
  }
}

}  // namespace
}  // namespace instar::engine
