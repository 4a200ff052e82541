#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/target_repo.h"

namespace instar::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// The small program with a second fault, so that a run has two champions at least.
std::map<std::string, std::string> two_faults() {
  auto files = small_program();
  std::string& source = files["src/grade.py"];
  source.replace(source.find(">= 75"), 5, "> 75");
  return files;
}

/// One run of the real program, made once and looked at by every test; those that change something
/// work on a copy.
class Verbs : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    repo_ = std::make_unique<TargetRepo>(two_faults());
    const ProgramResult done =
        repo_->instar({"evolve", "--seed", "1", "--run-id", "shown", "--json"});
    ASSERT_EQ(done.exit_code, 0) << done.err << done.out;
    result_ = std::make_unique<json>(json::parse(done.out));
  }
  static void TearDownTestSuite() {
    result_.reset();
    repo_.reset();
  }

  static ProgramResult run(const TargetRepo& repo, const std::vector<std::string>& words) {
    ProgramResult result = repo.instar(words);
    EXPECT_EQ(result.exit_code, 0) << words[0] << ": " << result.out << result.err;
    return result;
  }
  static std::string text(const std::vector<std::string>& words) { return run(*repo_, words).out; }
  static json object(std::vector<std::string> words) {
    words.emplace_back("--json");
    json parsed = json::parse(text(words), nullptr, false);
    EXPECT_EQ(parsed["schema_version"], 1) << words[0];
    return parsed;
  }
  static std::string champion() { return (*result_)["champion"]["variant"]; }

  static std::unique_ptr<TargetRepo> repo_;
  static std::unique_ptr<json> result_;
};

std::unique_ptr<TargetRepo> Verbs::repo_;
std::unique_ptr<json> Verbs::result_;

TEST_F(Verbs, LogDrawsTheCheckpointsDownToTheBase) {
  const std::string graph = text({"log"});
  EXPECT_THAT(graph, HasSubstr("* " + champion()));
  EXPECT_THAT(graph, HasSubstr("(champion)"));
  EXPECT_THAT(graph, HasSubstr("* base  " + repo_->git({"rev-parse", "HEAD"}).out.substr(0, 40)));
  EXPECT_THAT(graph, StartsWith("run shown\n"));
  EXPECT_THAT(graph, HasSubstr("passed  tests.failed 2 -> 0"));
  EXPECT_THAT(graph, HasSubstr("better  tests.failed 2 -> 1")) << "a step on the way is no failure";
  EXPECT_EQ(text({"log", "sho"}), graph) << "a beginning of the run's name";

  const json log = object({"log"});
  EXPECT_EQ(log["run"], "shown");
  EXPECT_EQ(log["variants"].size(), (*result_)["variants"]["accepted"]);
  const json all = object({"log", "--all"});
  EXPECT_GE(all["variants"].size(), (*result_)["variants"]["evaluated"]);
  for (const json& variant : log["variants"]) EXPECT_EQ(variant["state"], "accepted");
}

TEST_F(Verbs, LogListsWhatWasTriedALineEach) {
  const json all = object({"log", "--all"});
  const std::string listed = text({"log", "--all"});
  EXPECT_EQ(static_cast<std::size_t>(std::count(listed.begin(), listed.end(), '\n')),
            all["variants"].size() + 1);
  EXPECT_EQ(object({"log", "--all", "-n", "2"})["variants"].size(), 2U);
  const json failed = object({"log", "--verdict", "failed"});
  EXPECT_FALSE(failed["variants"].empty());
  for (const json& variant : failed["variants"]) EXPECT_EQ(variant["verdict"], "failed");
  const ProgramResult mistyped = repo_->instar({"log", "--verdict", "failde"});
  EXPECT_EQ(mistyped.exit_code, 2);
  EXPECT_THAT(mistyped.err, HasSubstr("did you mean failed?"));
}

TEST_F(Verbs, ShowNamesTheTestsThatAVariantMendedOrBroke) {
  const json champion_tests = object({"show", "shown"})["tests"];
  EXPECT_EQ(champion_tests["mended"].size(), 2U);
  EXPECT_TRUE(champion_tests["failing"].empty());
  EXPECT_THAT(text({"show"}), HasSubstr("mended\n  test:2 90 is A\n"));
  std::size_t broke = 0;
  const json failed = object({"log", "--verdict", "failed"});
  for (const json& variant : failed["variants"]) {
    const json shown = object({"show", variant["variant"].get<std::string>()});
    EXPECT_EQ(shown["tests"]["failing"].size(), variant["metrics"]["tests.failed"]);
    broke += shown["tests"]["newly_failing"].size();
  }
  EXPECT_GT(broke, 0U) << "some edit of a small program breaks what worked";
}

TEST_F(Verbs, ShowTellsAVariantWithoutItsSourceUnlessAskedFor) {
  const std::string shown = text({"show"});
  EXPECT_THAT(shown, HasSubstr(champion() + "  (champion)"));
  EXPECT_THAT(shown, HasSubstr("tests.failed"));
  EXPECT_THAT(shown, Not(HasSubstr("@@")));
  EXPECT_THAT(text({"show", "--source"}), HasSubstr("@@"));

  const json one = object({"show", "shown/" + champion().substr(0, 6), "--source"});
  EXPECT_EQ(one["variant"], champion());
  EXPECT_EQ(one["champion"], true);
  EXPECT_EQ(one["verdict"], "passed");
  EXPECT_EQ(one["metrics"]["tests.failed"], 0);
  EXPECT_EQ(one["commit"], (*result_)["champion"]["commit"]);
  EXPECT_THAT(one["source"].get<std::string>(), StartsWith("diff --git a/src/grade.py"));
}

TEST_F(Verbs, DiffIsAPatchThatGitAppliesAndThatRepairsTheProgram) {
  const std::string patch = text({"diff"});
  const TargetRepo other(two_faults());
  other.write("../fix.patch", patch);
  ASSERT_EQ(other.git({"apply", "../fix.patch"}).exit_code, 0) << patch;
  EXPECT_EQ(run_program({"/usr/bin/python3", "-B", "tests/run.py"},
                        {.directory = other.path(), .env = {}, .uid = {}})
                .exit_code,
            0);
  const json diff = object({"diff", "base", champion()});
  EXPECT_EQ(diff["from"], "base");
  EXPECT_EQ(diff["to"], champion());
  EXPECT_EQ(diff["patch"], patch);
}

TEST_F(Verbs, DiffGoesBackToTheBaseToo) {
  const json back = object({"diff", champion(), "base"});
  EXPECT_EQ(back["from"], champion());
  EXPECT_EQ(back["to"], "base");
  EXPECT_NE(back["patch"], object({"diff"})["patch"]);
  for (const char* other : {"", "base"}) {
    std::vector<std::string> words{"diff", "base"};
    if (*other != '\0') words.emplace_back(other);
    const ProgramResult alone = repo_->instar(words);
    EXPECT_EQ(alone.exit_code, 2);
    EXPECT_THAT(alone.err, HasSubstr("`instar diff base VARIANT`"));
  }
}

TEST_F(Verbs, LineageGoesFromTheBaseToTheVariant) {
  const json line = object({"lineage"});
  ASSERT_GE(line["lineage"].size(), 2U) << "two faults took two steps";
  EXPECT_EQ(line["lineage"].front()["parents"], json::array({"base"}));
  EXPECT_EQ(line["lineage"].back()["variant"], champion());
  for (std::size_t i = 1; i < line["lineage"].size(); ++i) {
    EXPECT_EQ(line["lineage"][i]["parents"][0], line["lineage"][i - 1]["variant"]);
  }
  const std::string told = text({"lineage", champion()});
  EXPECT_THAT(told, StartsWith("base"));
  EXPECT_THAT(told, HasSubstr(champion()));
}

TEST_F(Verbs, StatusTellsWhereTheRunStandsAndTouchesNothing) {
  const auto lock = repo_->path() / ".git/instar/runs/shown/lock";
  const std::string engine = read_file(lock, 64).value();
  const json status = object({"status"});
  EXPECT_EQ(status["run"], "shown");
  EXPECT_EQ(status["phase"], "ended");
  EXPECT_EQ(status["ended"], "solved");
  EXPECT_EQ(status["champion"]["variant"], champion());
  EXPECT_EQ(status["variants"]["accepted"], (*result_)["variants"]["accepted"]);
  EXPECT_THAT(text({"status", "shown"}), HasSubstr("champion  " + champion()));
  EXPECT_EQ(read_file(lock, 64).value(), engine) << "the lock names the engine still";
}

TEST_F(Verbs, VerifyFindsTheRunIntact) {
  const json report = object({"verify"});
  EXPECT_EQ(report["intact"], true);
  EXPECT_EQ(report["findings"], json::array());
  EXPECT_THAT(text({"verify", "shown"}), HasSubstr("intact"));
}

/// A copy of the repository with its run.
std::unique_ptr<TargetRepo> copy_of(const TargetRepo& repo) {
  auto copy = std::make_unique<TargetRepo>(two_faults());
  std::filesystem::remove_all(copy->path() / ".git");
  std::filesystem::copy(repo.path() / ".git", copy->path() / ".git",
                        std::filesystem::copy_options::recursive);
  return copy;
}

TEST_F(Verbs, RollbackMovesTheChampionAndResumeGoesOnFromThereEachTimeTheSame) {
  const auto copy = copy_of(*repo_);
  const json done = json::parse(run(*copy, {"rollback", "shown", "--json"}).out);
  EXPECT_EQ(done["from"], champion());
  EXPECT_EQ(copy->git({"rev-parse", "refs/instar/shown/champion"}).out,
            done["commit"].get<std::string>() + "\n");
  EXPECT_EQ(copy->instar({"verify", "shown"}).exit_code, 0);
  EXPECT_EQ(json::parse(run(*copy, {"status", "--json"}).out)["champion"]["variant"], done["to"]);

  const json first = json::parse(run(*copy, {"resume", "sho", "--json"}).out);
  EXPECT_EQ(first["solved"], true) << first;
  EXPECT_NE(first["champion"]["variant"], champion());
  const json line = json::parse(run(*copy, {"lineage", "--json"}).out)["lineage"];
  for (const json& variant : line) EXPECT_NE(variant["variant"], champion());
  const ProgramResult verified = copy->instar({"verify", "shown"});
  EXPECT_EQ(verified.exit_code, 0) << verified.out;

  const json again = json::parse(run(*copy, {"resume", "shown", "--jobs", "1", "--json"}).out);
  EXPECT_EQ(again["variants"], first["variants"]);
  EXPECT_EQ(again["champion"], first["champion"]);
}

TEST_F(Verbs, RollbackUndoneIsTheOldChampionAgain) {
  const auto copy = copy_of(*repo_);
  run(*copy, {"rollback", "shown"});
  EXPECT_THAT(run(*copy, {"rollback", "shown", champion()}).out, HasSubstr("-> " + champion()));
  const ProgramResult again = copy->instar({"rollback", "shown", champion(), "--json"});
  EXPECT_EQ(again.exit_code, 2) << again.out;
  EXPECT_EQ(copy->instar({"verify", "shown"}).exit_code, 0);
}

TEST_F(Verbs, ABrokenRunDoesNotHideTheOthers) {
  const auto copy = copy_of(*repo_);
  const auto runs = copy->path() / ".git/instar/runs";
  std::filesystem::copy(runs / "shown", runs / "broken", std::filesystem::copy_options::recursive);
  ASSERT_TRUE(write_file_atomic(runs / "broken/ledger.jsonl", "{\"v\":1}\n"));
  std::filesystem::copy(runs / "shown", runs / "unborn", std::filesystem::copy_options::recursive);
  std::filesystem::remove(runs / "unborn/ledger.jsonl");
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(runs / "broken/policy.yaml", now - std::chrono::hours(9));
  std::filesystem::last_write_time(runs / "unborn/policy.yaml", now + std::chrono::hours(9));

  const std::string listed = run(*copy, {"log", "--runs"}).out;
  EXPECT_THAT(listed, HasSubstr("improved"));
  EXPECT_THAT(listed, HasSubstr("chain is broken"));
  EXPECT_THAT(listed, HasSubstr("cut off before its first record"));
  const json runs_json = json::parse(run(*copy, {"log", "--runs", "--json"}).out)["runs"];
  ASSERT_EQ(runs_json.size(), 3U);
  EXPECT_EQ(runs_json[0]["run"], "unborn") << "the newest first";
  EXPECT_EQ(runs_json[1]["status"], "improved");

  // The newest run that has a record is what a command without RUN looks at.
  EXPECT_EQ(json::parse(run(*copy, {"status", "--json"}).out)["run"], "shown");
  EXPECT_THAT(run(*copy, {"log"}).out, HasSubstr(champion()));
  const ProgramResult unborn = copy->instar({"status", "unborn", "--json"});
  EXPECT_EQ(unborn.exit_code, 2) << unborn.out;
  EXPECT_THAT(unborn.out, HasSubstr("cut off before its first record"));
}

// docs/running.md, "Removing a run".
TEST_F(Verbs, ARemovedRunIsGoneAndItsNeighbourIsIntact) {
  const auto copy = copy_of(*repo_);
  run(*copy, {"evolve", "--seed", "1", "--run-id", "shown2", "--json"});
  const ProgramResult removed = run_program(
      {"sh", "-c",
       "rm -r .git/instar/runs/shown && git for-each-ref --format='delete %(refname)' "
       "refs/instar/shown | git update-ref --stdin"},
      {.directory = copy->path(), .env = {}, .uid = {}, .deadline = std::chrono::seconds(60)});
  ASSERT_EQ(removed.exit_code, 0) << removed.err;
  EXPECT_EQ(copy->git({"for-each-ref", "refs/instar/shown"}).out, "");
  const json left = json::parse(run(*copy, {"log", "--runs", "--json"}).out)["runs"];
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0]["run"], "shown2");
  run(*copy, {"verify", "shown2"});
  // The name is free again.
  run(*copy, {"evolve", "--seed", "1", "--run-id", "shown", "--json"});
}

TEST_F(Verbs, WhatIsNotThereIsOneClearError) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"show", "ffffffffffff"}, "no variant"},
      {{"log", "shwon"}, "did you mean shown"},
      {{"diff", "nothere/1234"}, "there is no run"},
      {{"log", "-n", "x"}, "-n 'x' is not a whole number"},
      {{"log", "-n", "-1"}, "-n '-1' is not a whole number"},
      {{"rollback", "shown", "ffffffffffff"}, "no variant"}};
  for (const auto& [words, says] : wrong) {
    std::vector<std::string> asked = words;
    asked.emplace_back("--json");
    const ProgramResult result = repo_->instar(asked);
    EXPECT_EQ(result.exit_code, 2) << words[0];
    EXPECT_THAT(result.out, HasSubstr(says));
  }
}

TEST(RejectedVariant, IsShownWithItsPatchThoughItsTreeIsNotKept) {
  const TargetRepo repo(unsolvable_program());
  repo.instar({"evolve", "--seed", "1", "--variants", "6"});
  const json log = json::parse(repo.instar({"log", "--all", "--json"}).out);
  for (const json& variant : log["variants"]) {
    if (variant["state"] != "rejected") continue;
    const std::string id = variant["variant"];
    EXPECT_THAT(repo.instar({"show", id, "--source"}).out, HasSubstr("\n+")) << id;
    const ProgramResult diff = repo.instar({"diff", id});
    EXPECT_EQ(diff.exit_code, 2) << id;
    const std::string run = log["run"];
    EXPECT_THAT(diff.err, HasSubstr("`instar show " + run + "/" + id + " --source`"));
    EXPECT_THAT(repo.instar({"show", run + "/ffffffffffff"}).err,
                HasSubstr("`instar log --all " + run + "` lists them"));
    return;
  }
  FAIL() << "the run rejected nothing: " << log;
}

}  // namespace
}  // namespace instar::testing
