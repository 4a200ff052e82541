#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "tests/support/process.h"
#include "tests/support/target_repo.h"

/// `instar cell` and `instar doctor` as a person or a script meets them.

namespace instar::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Gt;
using ::testing::HasSubstr;

ProgramResult instar(std::vector<std::string> words, const ProgramOptions& options = {}) {
  words.insert(words.begin(), INSTAR_BINARY);
  return run_program(words, options);
}

ProgramResult cell(std::vector<std::string> words, const ProgramOptions& options = {}) {
  words.insert(words.begin(), "cell");
  return instar(std::move(words), options);
}

ProgramOptions in_directory(const std::filesystem::path& directory) {
  ProgramOptions options;
  options.directory = directory;
  return options;
}

ProgramOptions with_tmpdir(const std::filesystem::path& directory) {
  ProgramOptions options;
  options.env = {{"TMPDIR", directory.string()}};
  return options;
}

json only_object(const ProgramResult& result) {
  const json object = json::parse(result.out, nullptr, false);
  EXPECT_TRUE(object.is_object()) << result.out << result.err;
  return object;
}

TEST(CellCommand, GivesTheCommandsOutputAndItsOwnCode) {
  const auto result = cell({"--", "sh", "-c", "echo out; echo err >&2; exit 7"});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(cell({"--", "true"}).exit_code, 0);
  // What a shell says about its own commands is not ours to change.
  EXPECT_EQ(cell({"--", "sh", "-c", "no-such-command"}).exit_code, 127);
  EXPECT_EQ(cell({"--", "sh", "-c", "/etc/passwd"}).exit_code, 126);
  EXPECT_EQ(cell({"--", "sh", "-c", "exit 125"}).exit_code, 125);
}

TEST(CellCommand, ReportsAsOneObject) {
  const auto result = cell({"--json", "--", "sh", "-c", "echo out; exit 7"});
  EXPECT_EQ(result.exit_code, 7);
  const json report = only_object(result);
  EXPECT_EQ(report["schema_version"], 1);
  EXPECT_EQ(report["level"], "guarded");
  EXPECT_EQ(report["outcome"], "exited");
  EXPECT_EQ(report["exit"], 7);
  EXPECT_EQ(report["signal"], nullptr);
  EXPECT_EQ(report["limit"], nullptr);
  EXPECT_EQ(report["stdout_bytes"], 4);
  EXPECT_GT(report["wall_s"], 0.0);
  EXPECT_EQ(report["enforced"]["memory"], "watch");
}

TEST(CellCommand, DeadlinesAre124) {
  const auto wall = cell({"--json", "--limit", "wall=200ms", "--", "sleep", "100"});
  EXPECT_EQ(wall.exit_code, 124);
  EXPECT_EQ(only_object(wall)["limit"], "wall");
  const auto cpu =
      cell({"--json", "--limit", "cpu=200ms", "--", "sh", "-c", "while :; do :; done"});
  EXPECT_EQ(cpu.exit_code, 124);
  EXPECT_EQ(only_object(cpu)["limit"], "cpu");
  EXPECT_EQ(cell({"--limit", "wall=60s", "--", "sleep", "0.1"}).exit_code, 0);
}

TEST(CellCommand, EveryOtherLimitIs137) {
  const std::map<std::string, std::vector<std::string>> hit{
      {"file_size", {"file_size=1MiB", "dd if=/dev/zero of=f bs=1M count=2"}},
      {"workspace", {"workspace=1MiB", "head -c 9000000 /dev/zero > f; sleep 60"}},
      {"inodes", {"inodes=20", "for i in $(seq 40); do : > $i; done; sleep 60"}},
      {"memory",
       {"memory=64MiB",
        "for i in 1 2 3; do /usr/bin/python3 -S -c 'x = b\"a\" * (40 << 20); import time; "
        "time.sleep(60)' & done; wait"}}};
  for (const auto& [name, words] : hit) {
    const auto over =
        cell({"--json", "--writable", "--limit", words[0], "--", "sh", "-c", "exec " + words[1]});
    const auto plain =
        name == "file_size"
            ? over
            : cell({"--json", "--writable", "--limit", words[0], "--", "sh", "-c", words[1]});
    EXPECT_EQ(plain.exit_code, 137) << name << plain.out << plain.err;
    EXPECT_EQ(only_object(plain)["outcome"], "limit") << name;
    EXPECT_EQ(only_object(plain)["limit"], name);
  }
  const auto within = cell({"--writable", "--limit", "file_size=4MiB", "--", "sh", "-c",
                            "exec dd if=/dev/zero of=f bs=1M count=2"});
  EXPECT_EQ(within.exit_code, 0) << within.err;
}

TEST(CellCommand, ASignalIs128AndItsNumber) {
  const auto result = cell({"--json", "--", "sh", "-c", "kill -TERM $$"});
  EXPECT_EQ(result.exit_code, 143);
  EXPECT_EQ(only_object(result)["signal"], 15);
}

TEST(CellCommand, WhatIsNotRunIs125AndOneClearError) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{"--no-such-option", "--", "true"}, "--no-such-option"},
      {{}, "command"},
      {{"--limit", "wall=0s", "--", "true"}, "--limit wall"},
      {{"--limit", "wall=3000000h", "--", "true"}, "--limit wall"},
      {{"--limit", "memry=1GiB", "--", "true"}, "memory"},
      {{"--limit", "outputs=64MiB", "--", "true"}, "64MiB/1000"},
      {{"--limit", "processes", "--", "true"}, "NAME=VALUE"},
      {{"--env", "LD_PRELOAD=x", "--", "true"}, "LD_PRELOAD"},
      {{"--level", "container", "--", "true"}, "container"},
      {{"--level", "garded", "--", "true"}, "guarded"},
      {{"--workspace", "/no/such/directory", "--", "true"}, "/no/such/directory"},
      {{"--", "no-such-command"}, "no-such-command"},
      {{"--", "/etc/passwd"}, "/etc/passwd"}};
  for (const auto& [words, says] : mistakes) {
    const auto text = cell(words);
    EXPECT_EQ(text.exit_code, 125) << says << text.out << text.err;
    EXPECT_THAT(text.err, HasSubstr(says));
    EXPECT_EQ(text.out, "");
    std::vector<std::string> with_json = words;
    with_json.insert(with_json.begin(), "--json");
    const auto object = cell(with_json);
    EXPECT_EQ(object.exit_code, 125) << says;
    EXPECT_TRUE(only_object(object).contains("error")) << object.out;
  }
  EXPECT_EQ(cell({"--limit", "outputs=64MiB/1000", "--limit", "wall=24h", "--", "true"}).exit_code,
            0);
}

TEST(CellCommand, TakesAWorkspaceAndGivesOutputsAndAReport) {
  const TempDir place = TempDir::create("instar-test").value();
  ::chmod(place.path().c_str(), 0755);
  std::ofstream(place.path() / "input") << "41";
  const ProgramOptions here = in_directory(place.path());
  const auto result =
      cell({"--workspace", ".", "--output", "sum.txt=sum", "--output", "none=none", "--report",
            "report.json", "--env", "MORE=1", "--", "sh", "-c",
            "! echo x > input && echo $(($(cat input) + MORE)) > $INSTAR_OUT/sum.txt"},
           here);
  EXPECT_EQ(result.exit_code, 125) << "an output is missing: " << result.err;
  EXPECT_EQ(read_file(place.path() / "sum", 100).value(), "42\n");
  EXPECT_FALSE(std::filesystem::exists(place.path() / "none"));
  EXPECT_THAT(result.err, HasSubstr("none is missing"));
  const json report = json::parse(read_file(place.path() / "report.json", 10000).value());
  EXPECT_EQ(report["outcome"], "exited");
  EXPECT_EQ(report["exit"], 0) << "the command's own";
  EXPECT_EQ(report["outputs"]["sum.txt"], "taken");
  EXPECT_EQ(read_file(place.path() / "input", 10).value(), "41");

  const auto made = [&](const std::string& script) {
    return cell({"--output", "a=b", "--", "sh", "-c", script}, here).exit_code;
  };
  EXPECT_EQ(made("echo x > $INSTAR_OUT/a"), 0);
  EXPECT_EQ(made("exit 3"), 3) << "a failure of the command is what is told";

  const auto refused = cell({"--report", "refused.json", "--", "no-such-command"}, here);
  EXPECT_EQ(refused.exit_code, 125);
  EXPECT_EQ(json::parse(read_file(place.path() / "refused.json", 10000).value())["outcome"],
            "setup-failed");
}

TEST(CellCommand, LeavesNothingInTheTemporaryDirectory) {
  const TempDir place = TempDir::create("instar-test").value();
  ::chmod(place.path().c_str(), 0755);
  EXPECT_EQ(cell({"--", "true"}, with_tmpdir(place.path())).exit_code, 0);
  EXPECT_EQ(instar({"doctor"}, with_tmpdir(place.path())).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(place.path()));
}

/// Whether the evaluator's copy of the base lies somewhere below.
bool has_base_copy(const std::filesystem::path& place) {
  std::error_code gone;  // what the engine removes under our look is not there
  for (std::filesystem::recursive_directory_iterator at(place, gone), end; !gone && at != end;
       at.increment(gone)) {
    if (at->path().filename().string().starts_with("base")) return true;
  }
  return false;
}

TEST(CellCommand, SweepsEverythingThatAKilledRunLeft) {
  const TempDir place = TempDir::create("instar-test").value();
  ::chmod(place.path().c_str(), 0755);
  const TargetRepo repo;
  {
    Program run = repo.start({"evolve", "--seed", "1"}, with_tmpdir(place.path()));
    ASSERT_TRUE(run.until([&] { return has_base_copy(place.path()); }));
    run.signal(SIGKILL);
    EXPECT_EQ(run.wait().exit_code, 128 + SIGKILL);
  }
  EXPECT_FALSE(std::filesystem::is_empty(place.path())) << "the control: a kill leaves it behind";
  // Its launchers hold the lock until they have ended their cells.
  for (int i = 0; i < 200 && !std::filesystem::is_empty(place.path()); ++i) {
    EXPECT_EQ(cell({"--", "true"}, with_tmpdir(place.path())).exit_code, 0);
  }
  EXPECT_TRUE(std::filesystem::is_empty(place.path()));
}

TEST(DoctorCommand, SaysWhatHoldsAndWhatDoesNot) {
  const auto text = instar({"doctor"});
  EXPECT_EQ(text.exit_code, 0) << text.out << text.err;
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("PASS  Landlock"), HasSubstr("PASS  guarded cell"),
                    HasSubstr("PASS  namespace cell"), HasSubstr("Strongest level: namespace"),
                    HasSubstr("A guarded cell does not stop:")));
  const auto result = instar({"doctor", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  const json object = only_object(result);
  EXPECT_EQ(object["schema_version"], 1);
  EXPECT_EQ(object["level"], "namespace");
  EXPECT_THAT(object["not_stopped"].size(), Gt(3U));
  for (const json& check : object["checks"]) {
    EXPECT_NE(check["status"], "FAIL") << check;
    EXPECT_EQ(check["fix"] == "", check["status"] == "PASS") << check;
  }
}

TEST(DoctorCommand, WhatFailsIs3AndNamesTheFix) {
  // Where no cell can be made, since its scratch directory is shut.
  const auto result = instar({"doctor", "--json"}, with_tmpdir("/no/such/directory"));
  EXPECT_EQ(result.exit_code, 3) << result.out << result.err;
  const json last = only_object(result)["checks"].back();
  EXPECT_EQ(last["name"], "guarded cell");
  EXPECT_EQ(last["status"], "FAIL");
  EXPECT_NE(last["fix"], "");
}

TEST(DoctorCommand, AMistakeInItsOptionsIs2) {
  EXPECT_EQ(instar({"doctor", "--no-such-option"}).exit_code, 2);
}

}  // namespace
}  // namespace instar::testing
