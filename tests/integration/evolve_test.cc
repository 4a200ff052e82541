#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/support/target_repo.h"

namespace instar::testing {
namespace {

using nlohmann::json;

json parse(const ProgramResult& result) {
  EXPECT_FALSE(result.out.empty()) << result.err;
  return json::parse(result.out, nullptr, false);
}

TEST(Evolve, RepairsAProgramAndSaysSoExactly) {
  const TargetRepo repo;
  const ProgramResult result =
      repo.instar({"evolve", "--seed", "1", "--json", "--run-id", "first"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json object = parse(result);
  EXPECT_EQ(object["schema_version"], 1);
  EXPECT_EQ(object["run"], "first");
  EXPECT_EQ(object["status"], "improved");
  EXPECT_EQ(object["solved"], true);
  EXPECT_EQ(object["ended"], "solved");
  EXPECT_EQ(object["breaker"], nullptr);
  EXPECT_EQ(object["level"], "guarded");
  EXPECT_EQ(object["seed"], 1);
  EXPECT_EQ(object["baseline"]["metrics"]["tests.failed"], 1);
  EXPECT_EQ(object["champion"]["metrics"]["tests.failed"], 0);
  EXPECT_GE(object["variants"]["evaluated"], 1);
  EXPECT_EQ(object["variants"].size(), 9U);

  // Plain git reads the same: the ref, the commit's parent, the repaired line.
  const std::string champion = object["champion"]["commit"];
  EXPECT_EQ(repo.git({"rev-parse", "refs/instar/first/champion"}).out, champion + "\n");
  EXPECT_EQ(repo.git({"rev-parse", champion + "^"}).out, repo.git({"rev-parse", "HEAD"}).out);
  EXPECT_NE(repo.git({"show", champion + ":src/grade.py"}).out.find("points >= 90"),
            std::string::npos);
  EXPECT_EQ(repo.git({"fsck", "--strict"}).exit_code, 0);
  const std::string message = repo.git({"log", "-1", "--format=%B", champion}).out;
  for (const char* trailer :
       {"Instar-Run: first", "Instar-Variant: ", "Instar-Verdict: passed",
        "Instar-Metric: tests.failed=0", "Instar-Policy: ", "Instar-Level: guarded",
        "Instar-Generator: mutate", "Instar-Ledger: "}) {
    EXPECT_NE(message.find(trailer), std::string::npos) << trailer << " in\n" << message;
  }
}

TEST(Evolve, LeavesEverythingOfTheUserBitIdentical) {
  const TargetRepo repo;
  repo.git({"branch", "side"});
  repo.git({"tag", "v1"});
  repo.write("src/grade.py", "# work in progress\n");
  repo.git({"stash"});
  repo.write("notes.txt", "not committed\n");
  const auto ran = repo.path().parent_path() / "hook-ran";
  for (const char* hook : {"post-commit", "reference-transaction", "post-checkout", "post-rewrite",
                           "pre-commit", "post-index-change"}) {
    const std::string file = std::string(".git/hooks/") + hook;
    repo.write(file, "#!/bin/sh\necho " + std::string(hook) + " >> '" + ran.string() + "'\n");
    ASSERT_EQ(::chmod((repo.path() / file).c_str(), 0755), 0);
  }
  const std::string before = repo.users_state();
  const ProgramResult result = repo.instar({"evolve", "--seed", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(repo.users_state(), before);
  EXPECT_FALSE(std::filesystem::exists(ran)) << read_file(ran, 4096).value_or("");
  // The same hooks do run when plain git is used, so the file would be there.
  repo.git({"update-ref", "refs/heads/other", "HEAD"});
  EXPECT_TRUE(std::filesystem::exists(ran));
  EXPECT_NE(result.err.find("not part of the base"), std::string::npos) << result.err;
}

TEST(Evolve, GivesTheSameResultWhateverTheJobs) {
  const TargetRepo repo;
  const json one = parse(repo.instar({"evolve", "--seed", "3", "--jobs", "1", "--json"}));
  const json four = parse(repo.instar({"evolve", "--seed", "3", "--jobs", "4", "--json"}));
  EXPECT_EQ(one["champion"]["tree"], four["champion"]["tree"]);
  EXPECT_EQ(one["variants"], four["variants"]);
  EXPECT_EQ(one["champion"]["variant"], four["champion"]["variant"]);
}

TEST(Evolve, SurvivesAKillAndResumesToTheSameEnd) {
  const TargetRepo undisturbed;
  const json expected = parse(undisturbed.instar({"evolve", "--seed", "2", "--json"}));

  const TargetRepo repo;
  const std::string before = repo.users_state();
  {
    Program program = repo.start({"evolve", "--seed", "2", "--run-id", "killed"});
    ASSERT_TRUE(program.until([&] {
      return read_file(repo.path() / ".git/instar/runs/killed/ledger.jsonl", 64U << 20)
                 .value_or("")
                 .find("\"judged\"") != std::string::npos;
    }));
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait().exit_code, 128 + SIGKILL);
  }
  EXPECT_EQ(repo.users_state(), before);
  const ProgramResult resumed = repo.instar({"resume", "killed", "--json"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err << resumed.out;
  const json object = parse(resumed);
  EXPECT_EQ(object["champion"]["tree"], expected["champion"]["tree"]);
  EXPECT_EQ(object["variants"], expected["variants"]);
  EXPECT_EQ(repo.users_state(), before);
  EXPECT_EQ(repo.instar({"verify", "killed"}).exit_code, 0);
}

TEST(Evolve, GoesOnWithTheLimitOfTheLastResume) {
  const TargetRepo repo(unsolvable_program());
  const auto evaluated = [&](const std::vector<std::string>& words) {
    const ProgramResult result = repo.instar(words);
    const json object = parse(result);
    EXPECT_EQ(object["ended"], "variants") << result.out << result.err;
    return object["variants"]["evaluated"].get<int>();
  };
  EXPECT_EQ(evaluated({"evolve", "--seed", "2", "--run-id", "r", "--variants", "3", "--json"}), 3);
  EXPECT_EQ(evaluated({"resume", "r", "--variants", "7", "--json"}), 7);
  EXPECT_EQ(evaluated({"resume", "r", "--json"}), 7);
  const ProgramResult fewer = repo.instar({"resume", "r", "--variants", "5", "--json"});
  EXPECT_EQ(fewer.exit_code, 2);
  EXPECT_NE(fewer.out.find("less than the 7 variants"), std::string::npos) << fewer.out;
  EXPECT_EQ(evaluated({"resume", "r", "--json"}), 7);
  EXPECT_EQ(repo.instar({"verify", "r"}).exit_code, 0);
}

TEST(Evolve, StopsOnceOnCtrlCAndCanGoOn) {
  const TargetRepo repo(unsolvable_program());
  Program program = repo.start({"evolve", "--seed", "2", "--run-id", "stopped", "--json"});
  ASSERT_TRUE(program.until([&] {
    return read_file(repo.path() / ".git/instar/runs/stopped/ledger.jsonl", 64U << 20)
               .value_or("")
               .find("\"judged\"") != std::string::npos;
  }));
  program.signal(SIGINT);
  const ProgramResult stopped = program.wait();
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_EQ(parse(stopped)["ended"], "interrupted");
  const int before = parse(stopped)["variants"]["evaluated"];
  const ProgramResult resumed =
      repo.instar({"resume", "stopped", "--variants", std::to_string(before + 5), "--json"});
  EXPECT_EQ(parse(resumed)["variants"]["evaluated"], before + 5) << resumed.out << resumed.err;
  EXPECT_EQ(repo.instar({"verify", "stopped"}).exit_code, 0);
}

TEST(Evolve, WorksForAnOrdinaryUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "every other test here runs as an ordinary user already";
  constexpr unsigned kUser = 64123;
  const TargetRepo repo;
  repo.give_to(kUser);
  ProgramOptions options;
  options.uid = kUser;
  const ProgramResult result = repo.instar({"evolve", "--seed", "1", "--json"}, options);
  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  EXPECT_EQ(parse(result)["solved"], true);
}

TEST(Evolve, TellsAResultThatIsNoImprovementByItsExitCode) {
  auto files = small_program();
  files["src/grade.py"].replace(files["src/grade.py"].find("> 90"), 4, ">= 90");
  const TargetRepo solved(files);
  const ProgramResult result = solved.instar({"evolve", "--json"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(parse(result)["status"], "unchanged");
  EXPECT_EQ(parse(result)["champion"], nullptr);

  files = small_program();
  files["tests/run.py"].replace(files["tests/run.py"].find("(0, \"C\")"), 8, "(0, \"Z\")");
  const TargetRepo hard(files);
  EXPECT_EQ(parse(hard.instar({"evolve", "--variants", "3", "--json"}))["ended"], "variants");
}

TEST(Evolve, PlansWithoutRunningOnADryRun) {
  const TargetRepo repo;
  const ProgramResult result = repo.instar({"evolve", "--dry-run"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("src/**"), std::string::npos) << result.out;
  EXPECT_FALSE(std::filesystem::exists(repo.path() / ".git/instar"));
}

TEST(Evolve, RefusesALevelThatThisBuildCannotGive) {
  const TargetRepo repo;
  const ProgramResult result = repo.instar({"evolve", "--level", "container", "--json"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(parse(result)["error"]["code"], "host_cannot");
  EXPECT_FALSE(std::filesystem::exists(repo.path() / ".git/instar"));
}

}  // namespace
}  // namespace instar::testing
