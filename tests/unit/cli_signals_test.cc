#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stop_token>
#include <string>
#include <vector>

#include "cli/signals.h"

namespace instar::cli {
namespace {

/// How a process ends that stands in a read that nobody answers while signals arrive.
int end_of_a_stuck_process(const std::vector<int>& signals) {
  int never[2];
  int ready[2];
  if (::pipe(never) != 0 || ::pipe(ready) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // where it does not end, the test fails and nothing is left behind
    {
      const Signals handled(Signals::of_a_run(), std::chrono::milliseconds(200));
      const std::stop_callback on_drain(handled.control().drain,
                                        [&] { (void)!::write(ready[1], "x", 1); });
      (void)!::write(ready[1], "x", 1);
      char c = 0;
      (void)!::read(never[0], &c, 1);
    }
    ::_exit(7);
  }
  char c = 0;
  (void)!::read(ready[0], &c, 1);
  for (const int signo : signals) ::kill(child, signo);
  (void)!::read(ready[0], &c, 1);  // the first is taken
  if (signals.size() < 2) (void)!::write(never[1], "x", 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  for (const int fd : {never[0], never[1], ready[0], ready[1]}) ::close(fd);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Signals, AnEngineThatIsStuckStillEndsAfterTheSecond) {
  EXPECT_EQ(end_of_a_stuck_process({SIGINT, SIGTERM}), 130);
}

TEST(Signals, OneLeavesItToFinish) { EXPECT_EQ(end_of_a_stuck_process({SIGINT}), 7); }

TEST(Signals, ALookAtTheBaseIsNotSaidToBeRecorded) {
  ::testing::internal::CaptureStderr();
  {
    const Signals handled(Signals::of_a_trial());
    ::kill(::getpid(), SIGINT);
    while (!handled.control().drain.stop_requested()) ::usleep(1000);
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("nothing is recorded"), std::string::npos) << said;
}

}  // namespace
}  // namespace instar::cli
