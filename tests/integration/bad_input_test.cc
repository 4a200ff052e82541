#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/target_repo.h"

namespace instar::testing {
namespace {

using nlohmann::json;

/// One clear error: the exit code, a word that tells what is wrong, a hint; and nothing of the
/// user's changed.
void expect_refused(const TargetRepo& repo, std::vector<std::string> words, int exit_code,
                    const std::string& says) {
  const std::string before = repo.users_state();
  words.emplace_back("--json");
  const ProgramResult result = repo.instar(words);
  EXPECT_EQ(result.exit_code, exit_code) << result.out << result.err;
  const json object = json::parse(result.out, nullptr, false);
  ASSERT_TRUE(object.contains("error")) << result.out << result.err;
  EXPECT_NE(object["error"]["message"].get<std::string>().find(says), std::string::npos)
      << object.dump(2);
  EXPECT_FALSE(object["error"]["hint"].get<std::string>().empty()) << object.dump(2);
  EXPECT_EQ(repo.users_state(), before);
  EXPECT_FALSE(std::filesystem::exists(repo.path() / ".git/instar/runs"));
}

TEST(BadInput, NoRepository) {
  const auto directory = TempDir::create("instar-test").value();
  const ProgramResult result = run_program({INSTAR_BINARY, "evolve", "--json"},
                                           {.directory = directory.path(), .env = {}, .uid = {}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.out.find("repository"), std::string::npos) << result.out;
}

TEST(BadInput, BareRepository) {
  const auto directory = TempDir::create("instar-test").value();
  run_program({"git", "init", "-q", "--bare", "."},
              {.directory = directory.path(), .env = {}, .uid = {}});
  const ProgramResult result = run_program({INSTAR_BINARY, "evolve", "--json"},
                                           {.directory = directory.path(), .env = {}, .uid = {}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.out.find("bare"), std::string::npos) << result.out;
}

TEST(BadInput, Sha256Repository) {
  const auto directory = TempDir::create("instar-test").value();
  run_program({"git", "init", "-q", "--object-format=sha256", "."},
              {.directory = directory.path(), .env = {}, .uid = {}});
  const ProgramResult result = run_program({INSTAR_BINARY, "evolve", "--json"},
                                           {.directory = directory.path(), .env = {}, .uid = {}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.out.find("sha256"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("fast-export --all --signed-tags=strip | git -C NEW fast-import"),
            std::string::npos)
      << result.out;
}

TEST(BadInput, UnbornBranch) {
  const auto directory = TempDir::create("instar-test").value();
  run_program({"git", "init", "-q", "."}, {.directory = directory.path(), .env = {}, .uid = {}});
  const ProgramResult result = run_program({INSTAR_BINARY, "evolve", "--json"},
                                           {.directory = directory.path(), .env = {}, .uid = {}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.out.find("commit"), std::string::npos) << result.out;
}

TEST(BadInput, ForeignOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a repository to somebody else";
  const TargetRepo repo;
  repo.give_to(64124);
  ProgramOptions options;
  options.uid = 64125;
  const ProgramResult result = repo.instar({"evolve", "--json"}, options);
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_NE(result.out.find("own"), std::string::npos) << result.out;
}

TEST(BadInput, ARepositoryThatMayNotBeLookedInto) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a repository to somebody else";
  const TargetRepo repo;
  repo.give_to(64124);
  ProgramOptions options;
  options.uid = 64125;
  options.directory = "/";
  for (const auto& closed : {repo.path() / ".git", repo.path(), repo.path().parent_path()}) {
    std::filesystem::permissions(closed, std::filesystem::perms::owner_all);
    const ProgramResult result =
        run_program({INSTAR_BINARY, "log", "-C", repo.path().string()}, options);
    EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
    EXPECT_NE(result.err.find("permission denied"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("git init"), std::string::npos) << result.err;
  }
}

TEST(BadInput, NoInstarYaml) {
  auto files = small_program();
  files.erase("instar.yaml");
  expect_refused(TargetRepo(files), {"evolve"}, 2, "instar.yaml");
}

TEST(BadInput, MistakesInInstarYamlNameTheirLine) {
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"surfce: {allow: [\"x\"]}\n", "surfce"},  // unknown key
      {"version: 1\n", "version"},               // duplicate key
      {"flaky: 7\n", "flaky"},                   // wrong value
      {"objectives: 3\n", "objectives"},         // duplicate and mistyped
      {"hidden: [\"holdout/**\"]\n", "hidden"},  // this build lacks it
  };
  for (const auto& [line, says] : mistakes) {
    auto files = small_program();
    files["instar.yaml"] += line;
    const TargetRepo repo(files);
    expect_refused(repo, {"evolve"}, 2, "instar.yaml:8:");
    expect_refused(repo, {"evolve"}, 2, says);
  }
}

TEST(BadInput, MistakesInThePolicyNameTheirLine) {
  const TargetRepo repo;
  const auto policy = repo.path().parent_path() / "safety.yaml";
  for (const char* text : {"version: 1\nnetwork: bridged\n", "version: 1\nlevle: guarded\n",
                           "version: 1\nversion: 1\n", "version: 1\ncell: {wall: 0s}\n",
                           "version: 1\ncell: {memory: lots}\n"}) {
    ASSERT_TRUE(write_file_atomic(policy, text));
    expect_refused(repo, {"evolve", "--policy", policy.string()}, 2, "safety.yaml:2:");
  }
}

TEST(BadInput, AnInstarYamlBelowTheTopOfItsRepository) {
  auto files = small_program();
  files["inner/instar.yaml"] = files["instar.yaml"];
  const TargetRepo repo(files);
  for (const char* verb : {"evolve", "check"}) {
    expect_refused(repo, {verb, "inner"}, 2, "not the top of its repository");
  }
}

TEST(BadInput, ATargetThatEveryCellCanRead) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to put a target below /usr";
  const TargetRepo repo;
  std::string pattern = "/usr/local/instar-test-XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path visible(pattern);
  repo.git({"clone", "-q", repo.path().string(), (visible / "target").string()});
  for (const char* verb : {"evolve", "check"}) {
    const ProgramResult result = repo.instar({verb, "-C", (visible / "target").string(), "--json"});
    EXPECT_EQ(result.exit_code, 4) << result.out << result.err;
    EXPECT_NE(result.out.find("which every cell can read"), std::string::npos) << result.out;
  }
  EXPECT_FALSE(std::filesystem::exists(visible / "target/.git/instar"));
  std::filesystem::remove_all(visible);
}

TEST(BadInput, ASurfaceOfLinksOnlyMatchesNothing) {
  auto files = small_program();
  files["instar.yaml"].replace(files["instar.yaml"].find("src/**"), 6, "link/**");
  const TargetRepo repo(files);
  std::filesystem::create_directory(repo.path() / "link");
  std::filesystem::create_symlink("../src/grade.py", repo.path() / "link/grade.py");
  repo.commit_all("a link");
  expect_refused(repo, {"evolve"}, 2, "the surface matches no file");
  expect_refused(repo, {"check"}, 2, "the surface matches no file");
}

TEST(BadInput, UntrackedFilesAreToldByCheckAsByEvolve) {
  const TargetRepo repo;
  EXPECT_EQ(json::parse(repo.instar({"check", "--json"}).out)["warnings"], json::array());
  repo.write("notes.txt", "not committed\n");
  EXPECT_NE(repo.instar({"check", "--json"}).out.find("uncommitted"), std::string::npos);
  EXPECT_NE(repo.instar({"evolve", "--dry-run"}).err.find("uncommitted"), std::string::npos);
}

TEST(BadInput, AChangedTargetFileIsNoUncommittedChange) {
  const TargetRepo repo;
  repo.write("instar.yaml", small_program()["instar.yaml"] + "# as it stands\n");
  EXPECT_EQ(json::parse(repo.instar({"check", "--json"}).out)["warnings"], json::array());
  EXPECT_EQ(repo.instar({"evolve", "--dry-run"}).err.find("uncommitted"), std::string::npos);
}

TEST(BadInput, WhatSpeaksAgainstASurfaceIsToldByCheckAsByEvolve) {
  auto files = small_program();
  std::string& target = files["instar.yaml"];
  target.replace(target.find("sealed: [\"tests/**\"]\n"), 21, "");
  target.replace(target.find("src/**"), 6, "tests/*.txt");
  files["tests/expected.txt"] = "A\n";
  const TargetRepo repo(files);
  for (const auto& words :
       {std::vector<std::string>{"check"}, std::vector<std::string>{"evolve", "--dry-run"}}) {
    const std::string told = repo.instar(words).err;
    EXPECT_NE(told.find("sealed: [\"tests/**\"]"), std::string::npos) << told;
    EXPECT_NE(told.find("it reads python (.py"), std::string::npos) << told;
  }
}

TEST(BadInput, UnknownBaseRevision) {
  expect_refused(TargetRepo(), {"evolve", "--base", "no-such-branch"}, 2, "no-such-branch");
}

TEST(BadInput, OptionsOutOfRange) {
  const TargetRepo repo;
  expect_refused(repo, {"evolve", "--jobs", "0"}, 2, "--jobs");
  expect_refused(repo, {"evolve", "--run-id", "../x"}, 2, "run id");
  expect_refused(repo, {"evolve", "--wall", "soon"}, 2, "--wall");
  expect_refused(repo, {"evolve", "--varaints", "3"}, 2, "--varaints");
}

TEST(BadInput, ASeedThatIsNoNumberIsNoOtherNumber) {
  const TargetRepo repo;
  for (const char* seed : {"-1", "18446744073709551616", "abc", "", "1.5"}) {
    const ProgramResult refused = repo.instar({"evolve", "--dry-run", "--seed", seed});
    EXPECT_EQ(refused.exit_code, 2) << seed;
    EXPECT_NE(refused.err.find("--seed"), std::string::npos) << seed;
  }
  EXPECT_EQ(repo.instar({"evolve", "--dry-run", "--seed", "18446744073709551615"}).exit_code, 0);
}

TEST(BadInput, ABaseThatCannotStartGivesItsOutput) {
  auto files = small_program();
  files["instar.yaml"].replace(files["instar.yaml"].find("python3 -B"), 10, "no-such-tool");
  const TargetRepo repo(files);
  const ProgramResult result = repo.instar({"evolve", "--json"});
  EXPECT_EQ(result.exit_code, 2) << result.out;
  EXPECT_NE(result.out.find("no-such-tool"), std::string::npos) << result.out;
}

TEST(BadInput, ABaseThatHangsEndsAtItsDeadline) {
  auto files = small_program();
  files["tests/run.py"] = "while True: pass\n";
  files["instar.yaml"].replace(files["instar.yaml"].find("10s"), 3, "1s");
  const TargetRepo repo(files);
  const ProgramResult result = repo.instar({"evolve", "--json"});
  EXPECT_EQ(result.exit_code, 2) << result.out;
  EXPECT_NE(result.out.find("test"), std::string::npos) << result.out;
}

TEST(BadInput, AStageThatPrintsAGigabyteIsReadToItsEndAndKeptSmall) {
  auto files = small_program();
  files["instar.yaml"].replace(
      files["instar.yaml"].find("  - {name: test"), 0,
      "  - {name: noise, run: \"head -c 1000000000 /dev/zero\", timeout: 60s}\n");
  const TargetRepo repo(files);
  const ProgramResult result = repo.instar({"evolve", "--seed", "1", "--variants", "2", "--json"});
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1) << result.out << result.err;
}

TEST(BadInput, DetachedHeadLinkedWorktreeAndOddNamesWork) {
  const TargetRepo detached;
  detached.git({"checkout", "-q", "--detach"});
  EXPECT_EQ(detached.instar({"evolve", "--seed", "1"}).exit_code, 0);

  const TargetRepo odd(small_program(), "ein pfad mit \xC3\xA4");
  EXPECT_EQ(odd.instar({"evolve", "--seed", "1"}).exit_code, 0);

  const TargetRepo main_tree;
  const auto linked = main_tree.path().parent_path() / "linked";
  main_tree.git({"worktree", "add", "-q", linked.string()});
  ProgramOptions options;
  options.directory = linked;
  EXPECT_EQ(main_tree.instar({"evolve", "--seed", "1", "--run-id", "w"}, options).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(main_tree.path() / ".git/instar/runs/w"));
}

TEST(BadInput, SubmodulesAndLfsPointersAreNoObstacle) {
  const TargetRepo other;
  auto files = small_program();
  files["data/big.bin"] =
      "version https://git-lfs.github.com/spec/v1\n"
      "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
  files[".gitattributes"] = "*.bin filter=lfs diff=lfs merge=lfs -text\n";
  const TargetRepo repo(files);
  repo.git(
      {"-c", "protocol.file.allow=always", "submodule", "add", "-q", other.path().string(), "sub"});
  repo.commit_all("with a submodule");
  const ProgramResult result = repo.instar({"evolve", "--seed", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(BadInput, UnwritableGitDirectory) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give the git directory to somebody else";
  const TargetRepo repo;
  ProgramOptions options;
  options.uid = 64126;
  repo.give_to(64126);
  ASSERT_EQ(::chmod((repo.path() / ".git").c_str(), 0555), 0);
  const ProgramResult result = repo.instar({"evolve", "--json"}, options);
  EXPECT_EQ(result.exit_code, 70) << result.out;
  EXPECT_NE(result.out.find("Permission denied"), std::string::npos) << result.out;
}

TEST(BadInput, ASecondEngineOnTheSameRunIsRefused) {
  const TargetRepo repo(unsolvable_program());
  Program first = repo.start({"evolve", "--run-id", "one"});
  ASSERT_TRUE(first.until(
      [&] { return std::filesystem::exists(repo.path() / ".git/instar/runs/one/ledger.jsonl"); }));
  const ProgramResult second = repo.instar({"resume", "one", "--json"});
  EXPECT_EQ(second.exit_code, 2) << second.out;
  EXPECT_NE(second.out.find(std::to_string(first.pid())), std::string::npos) << second.out;
  const ProgramResult again = repo.instar({"evolve", "--run-id", "one", "--json"});
  EXPECT_EQ(again.exit_code, 2) << again.out;
  first.signal(SIGKILL);
  first.wait();
}

}  // namespace
}  // namespace instar::testing
