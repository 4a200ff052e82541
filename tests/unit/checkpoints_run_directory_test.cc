#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/files.h"
#include "checkpoints/run_directory.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/manual_clock.h"

namespace instar::checkpoints {
namespace {

namespace fs = std::filesystem;

class RunDirectoryTest : public testing::Test {
 protected:
  Result<RunDirectory> create(const char* run) {
    return RunDirectory::create(git_dir_.path(), RunId::parse(run).value(),
                                {.policy = "version: 1\n", .target = "name: x\n"});
  }
  std::vector<std::string> runs() {
    std::vector<std::string> names;
    const auto listed = RunDirectory::list(git_dir_.path()).value();
    for (const auto& run : listed) names.push_back(run.str());
    return names;
  }
  TempDir git_dir_ = TempDir::create("instar-test").value();
};

TEST_F(RunDirectoryTest, HoldsWhatARunPins) {
  const auto run = create("one").value();
  EXPECT_EQ(read_file(run.policy_file(), 100), "version: 1\n");
  EXPECT_EQ(read_file(run.target_file(), 100), "name: x\n");
  EXPECT_TRUE(fs::is_directory(run.segments()));
  EXPECT_EQ(run.path(), git_dir_.path() / "instar/runs/one");
  const auto opened = RunDirectory::open(git_dir_.path(), run.run()).value();
  EXPECT_EQ(opened.path(), run.path());
}

TEST_F(RunDirectoryTest, ARunIdIsTakenOnce) {
  ASSERT_TRUE(create("one"));
  const auto again = create("one");
  EXPECT_EQ(again.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(again.error().hint, testing::HasSubstr("instar resume one"));
  EXPECT_THAT(runs(), testing::ElementsAre("one"));
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(git_dir_.path() / "instar/runs"))
    ++entries;
  EXPECT_EQ(entries, 1U) << "nothing half-made is left";
}

TEST_F(RunDirectoryTest, ListsTheNewestFirst) {
  EXPECT_TRUE(runs().empty());
  ASSERT_TRUE(create("b"));
  ASSERT_TRUE(create("a"));
  const auto touch = [&](const char* run, int seconds) {
    fs::last_write_time(git_dir_.path() / "instar/runs" / run / "policy.yaml",
                        fs::file_time_type(std::chrono::seconds(seconds)));
  };
  touch("a", 10);
  touch("b", 20);
  fs::create_directory(git_dir_.path() / "instar/runs/.new-123");
  EXPECT_THAT(runs(), testing::ElementsAre("b", "a"));
  touch("a", 30);
  EXPECT_THAT(runs(), testing::ElementsAre("a", "b"));
}

TEST_F(RunDirectoryTest, AnUnknownRunIsNotFound) {
  ASSERT_TRUE(create("nightly-3"));
  const auto opened = RunDirectory::open(git_dir_.path(), RunId::parse("nightly-4").value());
  EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(opened.error().hint, testing::HasSubstr("instar log --runs"));
}

TEST(RunId, TakesOnlyPlainNames) {
  for (const char* good : {"a", "run-1", "20260131-1"}) EXPECT_TRUE(RunId::parse(good)) << good;
  for (const char* bad : {"", "A", "a/b", "..", "a b", "a.b", "-a", "a\n"}) {
    EXPECT_EQ(RunId::parse(bad).error().code, ErrorCode::kInvalidInput) << bad;
  }
  EXPECT_TRUE(RunId::parse(std::string(64, 'a')));
  EXPECT_FALSE(RunId::parse(std::string(65, 'a')));
}

TEST(RunId, GeneratedOnesSortByTimeAndDiffer) {
  ManualClock clock;
  const RunId first = RunId::generate(clock);
  EXPECT_NE(first, RunId::generate(clock));
  EXPECT_TRUE(RunId::parse(first.str()));
  EXPECT_THAT(first.str(), testing::StartsWith("20270115-080000-"));
  clock.advance(std::chrono::seconds(1));
  EXPECT_LT(first, RunId::generate(clock));
}

/// A process that takes the run's lock, says so through a pipe, and waits to be killed.
Child hold_lock(const RunDirectory& run) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const auto lock = run.lock();
    const char answer = lock ? 'y' : 'n';
    if (::write(ready[1], &answer, 1) != 1) _exit(1);
    for (;;) ::pause();
  }
  Child child = Child::adopt(pid).value();
  char answer = 0;
  EXPECT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  ::close(ready[0]);
  ::close(ready[1]);
  return child;
}

TEST_F(RunDirectoryTest, ASecondEngineIsToldWhoHoldsTheLock) {
  const auto run = create("one").value();
  Child holder = hold_lock(run);
  const auto refused = run.lock();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  EXPECT_THAT(refused.error().message,
              testing::HasSubstr("process " + std::to_string(holder.pid())));
  holder.signal(SIGKILL);
  ASSERT_TRUE(holder.wait());
  EXPECT_TRUE(run.lock()) << "a dead process holds nothing";
}

TEST_F(RunDirectoryTest, TellsWhetherItIsInUseWithoutTakingTheLock) {
  const auto run = create("one").value();
  const fs::path file = run.path() / "lock";
  EXPECT_FALSE(run.in_use().value());
  const auto lock = run.lock();
  ASSERT_TRUE(lock);
  const std::string holder = read_file(file, 64).value();
  const auto written = fs::last_write_time(file);
  EXPECT_TRUE(run.in_use().value()) << "as it looks from any other open file, or process";
  EXPECT_EQ(read_file(file, 64).value(), holder);
  EXPECT_EQ(fs::last_write_time(file), written);
  fs::remove(file);
  EXPECT_FALSE(run.in_use().value()) << "a file that is gone is locked by nobody";
}

TEST_F(RunDirectoryTest, TheLockEndsWithItsOwner) {
  const auto run = create("one").value();
  {
    const auto lock = run.lock();
    ASSERT_TRUE(lock);
    EXPECT_EQ(run.lock().error().code, ErrorCode::kBusy);
  }
  EXPECT_TRUE(run.lock());
}

TEST_F(RunDirectoryTest, AFullDiskLeavesNoHalfOfARun) {
  {
    const FileSizeLimit limit(0);
    EXPECT_EQ(create("one").error().code, ErrorCode::kIo);
  }
  EXPECT_TRUE(fs::is_empty(git_dir_.path() / "instar/runs"));
  EXPECT_TRUE(create("one"));
}

TEST_F(RunDirectoryTest, AnUnwritableGitDirectoryIsSaid) {
  const fs::path git_dir = git_dir_.path();
  const auto attempt = [&]() -> int {
    const auto made =
        RunDirectory::create(git_dir, RunId::parse("one").value(), {.policy = "", .target = ""});
    if (made) return 0;
    return made.error().code == ErrorCode::kIo && !made.error().hint.empty() ? 1 : 2;
  };
  /// Root may write anywhere, so an ordinary user tries.
  const auto as_ordinary_user = [&] {
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) _exit(3);
      _exit(attempt());
    }
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    return WEXITSTATUS(status);
  };
  fs::permissions(git_dir, fs::perms(0555));
  EXPECT_EQ(as_ordinary_user(), 1);
  EXPECT_TRUE(fs::is_empty(git_dir));
  fs::permissions(git_dir, fs::perms(0777));
  EXPECT_EQ(as_ordinary_user(), 0);
  fs::permissions(git_dir, fs::perms(0700));
}

}  // namespace
}  // namespace instar::checkpoints
