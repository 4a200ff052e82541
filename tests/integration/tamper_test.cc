#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "tests/support/target_repo.h"

namespace instar::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

/// A run that has ended, made once; each test changes what it left and puts it back.
class Tampered : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    repo_ = std::make_unique<TargetRepo>();
    ASSERT_EQ(repo_->instar({"evolve", "--seed", "1", "--run-id", "r"}).exit_code, 0);
    kept_ = std::make_unique<TempDir>(TempDir::create("kept").value());
    fs::copy(repo_->path() / ".git", kept_->path() / "git", fs::copy_options::recursive);
  }
  static void TearDownTestSuite() {
    kept_.reset();
    repo_.reset();
  }
  void TearDown() override {
    fs::remove_all(repo_->path() / ".git");
    fs::copy(kept_->path() / "git", repo_->path() / ".git", fs::copy_options::recursive);
  }

  static fs::path in_run(const char* name) { return repo_->path() / ".git/instar/runs/r" / name; }
  static std::string champion() {
    std::string id = repo_->git({"rev-parse", "refs/instar/r/champion"}).out;
    return id.substr(0, id.find('\n'));
  }
  /// What somebody changed stays visible: no resume makes it look sound again.
  static void expect_noticed(const char* what) {
    EXPECT_EQ(repo_->instar({"verify", "r"}).exit_code, 5) << what;
    const ProgramResult resumed = repo_->instar({"resume", "r", "--variants", "400"});
    EXPECT_EQ(resumed.exit_code, 5) << what << ": " << resumed.out << resumed.err;
    EXPECT_THAT(resumed.err, HasSubstr("instar verify r")) << what;
    EXPECT_EQ(repo_->instar({"verify", "r"}).exit_code, 5) << what << ", after the resume";
  }

  static std::unique_ptr<TargetRepo> repo_;
  static std::unique_ptr<TempDir> kept_;
};

std::unique_ptr<TargetRepo> Tampered::repo_;
std::unique_ptr<TempDir> Tampered::kept_;

TEST_F(Tampered, NothingAtAllIsTheControl) {
  EXPECT_EQ(repo_->instar({"verify", "r"}).exit_code, 0);
  EXPECT_EQ(repo_->instar({"resume", "r"}).exit_code, 0);
  EXPECT_EQ(repo_->instar({"verify", "r"}).exit_code, 0);
}

TEST_F(Tampered, ATailThatWasCutOff) {
  std::string ledger = read_file(in_run("ledger.jsonl"), 1UL << 26).value();
  ledger.erase(ledger.rfind('\n', ledger.size() - 2) + 1);
  ASSERT_TRUE(write_file_atomic(in_run("ledger.jsonl"), ledger));
  expect_noticed("a cut tail");
}

TEST_F(Tampered, AnAnchorThatIsGone) {
  ASSERT_EQ(repo_->git({"update-ref", "-d", "refs/instar/r/anchor"}).exit_code, 0);
  expect_noticed("no anchor");
}

TEST_F(Tampered, ACheckpointThatIsGone) {
  ASSERT_EQ(repo_->git({"update-ref", "-d", "refs/instar/r/champion"}).exit_code, 0);
  expect_noticed("no champion");
}

TEST_F(Tampered, APinnedFileThatWasChanged) {
  for (const char* name : {"instar.yaml", "policy.yaml"}) {
    const std::string text = read_file(in_run(name), 1UL << 20).value();
    ASSERT_TRUE(write_file_atomic(in_run(name), text + "# a word more\n"));
    expect_noticed(name);
    ASSERT_TRUE(write_file_atomic(in_run(name), text));
  }
}

TEST_F(Tampered, ARunWithoutItsPolicyIsStillARun) {
  fs::remove(in_run("policy.yaml"));
  expect_noticed("no policy");
}

TEST_F(Tampered, ARunCutOffBeforeItsFirstRecordIsNoBreakUnlessItLeftRefs) {
  std::ofstream(in_run("ledger.jsonl"), std::ios::trunc) << "";
  EXPECT_EQ(repo_->instar({"verify", "r"}).exit_code, 5) << "its refs say that there was more";
  fs::remove_all(repo_->path() / ".git/refs/instar/r");
  const ProgramResult verified = repo_->instar({"verify", "r"});
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
  EXPECT_THAT(verified.out + verified.err, HasSubstr("cut off before its first record"));
}

TEST_F(Tampered, RefsOfARunThatIsNotThereAreFoundBeforeAnythingRuns) {
  ASSERT_EQ(repo_->git({"update-ref", "refs/instar/other/champion", "HEAD"}).exit_code, 0);
  const ProgramResult refused = repo_->instar({"evolve", "--run-id", "other"});
  EXPECT_EQ(refused.exit_code, 5) << refused.out << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("git update-ref -d refs/instar/other/champion"));
  EXPECT_FALSE(fs::exists(repo_->path() / ".git/instar/runs/other"));
}

TEST(ResumedTwice, ARunThatWasCutShortComesToTheSameEnd) {
  const TargetRepo repo;
  const auto end = [&](const std::vector<std::string>& words) {
    return json::parse(repo.instar(words).out, nullptr, false);
  };
  const json whole = end({"evolve", "--seed", "1", "--run-id", "whole", "--json"});
  end({"evolve", "--seed", "1", "--run-id", "cut", "--wall", "700ms", "--json"});
  const json once = end({"resume", "cut", "--json"});
  const json twice = end({"resume", "cut", "--json"});
  for (const json& resumed : {once, twice}) {
    ASSERT_TRUE(resumed.contains("champion")) << resumed.dump();
    EXPECT_EQ(resumed["champion"]["tree"], whole["champion"]["tree"]);
    EXPECT_EQ(resumed["status"], whole["status"]);
  }
}

TEST(TargetFile, ALinkIsNotFollowed) {
  const TargetRepo repo;
  fs::rename(repo.path() / "instar.yaml", repo.path() / "elsewhere");
  fs::create_symlink("elsewhere", repo.path() / "instar.yaml");
  const ProgramResult refused = repo.instar({"check"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("is a symbolic link"));
}

TEST(Json, HasNothingThatActsOnATerminal) {
  const TargetRepo repo;
  ASSERT_EQ(repo.git({"checkout", "-q", "-b", "odd-\xc2\x9b\xe2\x80\xae-name"}).exit_code, 0);
  ASSERT_EQ(repo.instar({"evolve", "--variants", "1"}).exit_code & ~1, 0);
  const ProgramResult log = repo.instar({"log", "--json"});
  EXPECT_EQ(log.exit_code, 0) << log.err;
  EXPECT_EQ(json::parse(log.out)["base"]["ref"], "odd-\xc2\x9b\xe2\x80\xae-name");
  for (const char c : log.out) {
    ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << log.out;
  }
}

}  // namespace
}  // namespace instar::testing
