#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

}  // namespace
}  // namespace instar::engine
