#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "engine/config/target.h"
#include "tests/support/config_mistake.h"

namespace instar::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr const char* kTriangle = R"(version: 1
name: triangle
surface: {allow: ["src/**"], deny: ["src/vendor/**"]}
sealed: ["tests/**"]
env: {JOBS: 2, PYTHONHASHSEED: '0'}
prepare: ["make -j2 objects"]
evaluate:
  - {name: build, run: "make -j2", timeout: 60s}
  - {name: test,  run: "ctest --output-junit $INSTAR_OUT/junit.xml", timeout: 30s, report: {junit: junit.xml}}
  - {name: py,    run: "python3 -m pytest -q tests", report: {pytest: stream}, per_test: 2s}
  - {name: bench, run: "./bench", repeat: 5, report: {metrics: metrics.json}}
objectives: [{metric: tests.failed, goal: minimize}, {metric: bench.cpu_s, goal: minimize, noise: 0.02}]
generator: {kind: mutate}
search: {window: 16, seed: 1}
)";

Policy default_policy() {
  auto policy = parse_policy("version: 1\ncell: {wall: 60s}\n", "safety.yaml");
  return policy ? *policy : Policy{};
}

Result<Target> parse(const std::string& text) {
  Policy policy = default_policy();
  return parse_target(text, "instar.yaml", policy);
}

TEST(ConfigTarget, ReadsTheWholeExample) {
  const auto target = parse(kTriangle);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->name, "triangle");
  ASSERT_EQ(target->allow.size(), 1U);
  EXPECT_EQ(target->allow[0].value, "src/**");
  EXPECT_EQ(target->allow[0].source, "instar.yaml:3");
  EXPECT_EQ(target->deny[0].value, "src/vendor/**");
  EXPECT_EQ(target->sealed[0].value, "tests/**");
  using Variable = std::pair<std::string, std::string>;
  EXPECT_THAT(target->env, ElementsAre(Variable{"JOBS", "2"}, Variable{"PYTHONHASHSEED", "0"}));
  EXPECT_THAT(target->prepare, ElementsAre("make -j2 objects"));
  ASSERT_EQ(target->evaluate.size(), 4U);
  EXPECT_EQ(target->evaluate[0].timeout, 60s);
  EXPECT_EQ(target->evaluate[0].report, ReportKind::kExitCode);
  EXPECT_EQ(target->evaluate[1].report, ReportKind::kJunit);
  EXPECT_EQ(target->evaluate[1].report_file, "junit.xml");
  EXPECT_EQ(target->evaluate[1].source, "instar.yaml:9");
  EXPECT_EQ(target->evaluate[2].report, ReportKind::kPytest);
  EXPECT_EQ(target->evaluate[2].per_test, 2s);
  EXPECT_EQ(target->evaluate[3].repeat, 5U);
  ASSERT_EQ(target->objectives.size(), 2U);
  EXPECT_EQ(target->objectives[0].until, 0.0) << "a count of failures is solved at zero";
  EXPECT_EQ(target->objectives[1].until, std::nullopt);
  EXPECT_EQ(target->objectives[1].noise, 0.02);
  EXPECT_EQ(target->text, kTriangle);
  EXPECT_EQ(target->digest, sha256(kTriangle));
}

TEST(ConfigTarget, TheEnvironmentIsBoundedTogether) {
  const auto with = [](std::size_t bytes_each) {
    const std::string value(bytes_each, 'x');
    std::string text = kTriangle;
    const std::string env = "env: {JOBS: 2, PYTHONHASHSEED: '0'}";
    return parse(
        text.replace(text.find(env), env.size(), "env: {A: " + value + ", B: " + value + "}"));
  };
  EXPECT_TRUE(with(20'000));
  const auto refused = with(32'000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(refused.error().message, HasSubstr("60 KiB together"));
}

TEST(ConfigTarget, ReadsTheOtherForms) {
  const auto target = parse(R"(version: 1
surface: {allow: ["*.py"]}
evaluate:
  - name: unit
    run: |
      set -e
      prove -v
    report: {tap: unit.tap}
    list: prove --list
    outputs: [answer.txt]
  - {name: more, run: prove, report: {tap: more.tap}}
objectives: [{metric: tests.passed, goal: maximize, until: -1.5}]
flaky: refuse
search: {window: 1024, plateau: 50}
)");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->evaluate[0].command, "set -e\nprove -v\n");
  EXPECT_EQ(target->evaluate[0].report_file, "unit.tap");
  EXPECT_EQ(target->evaluate[0].list, "prove --list");
  EXPECT_THAT(target->evaluate[0].outputs, ElementsAre("answer.txt"));
  EXPECT_EQ(target->evaluate[1].report_file, "more.tap");
  EXPECT_EQ(target->objectives[0].goal, Objective::Goal::kMaximize);
  EXPECT_EQ(target->objectives[0].until, -1.5);
  EXPECT_EQ(target->flaky, FlakyRule::kRefuse);
  EXPECT_EQ(target->search.window, 1024U);
  EXPECT_EQ(target->search.plateau, 50U);
}

/// A file that is right but for what `lines` puts in the place of its own evaluate line.
std::string with_stage(const std::string& stage) {
  return "version: 1\nsurface: {allow: [\"src/**\"]}\nevaluate:\n  - " + stage +
         "\nobjectives: [{metric: stages.failed, goal: minimize}]\n";
}

std::string with_line(const std::string& line) {
  return "version: 1\n" + line +
         "\nsurface: {allow: [\"src/**\"]}\nevaluate: [{name: t, run: make}]\n"
         "objectives: [{metric: stages.failed, goal: minimize}]\n";
}

TEST(ConfigTarget, FramesOfTheMistakesAreThemselvesRight) {
  EXPECT_TRUE(parse(with_stage("{name: t, run: make}")));
  EXPECT_TRUE(parse(with_line("flaky: refuse")));
}

class ConfigStageMistake : public testing::TestWithParam<ConfigMistake> {};

TEST_P(ConfigStageMistake, IsRefusedAtItsPlaceWithTheFix) {
  expect_refused(parse(with_stage(GetParam().body)), "instar.yaml", GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Each, ConfigStageMistake,
    testing::Values(
        ConfigMistake{"make", "4:5", "map of keys, not the single value `make`", "name"},
        ConfigMistake{"{run: make}", "4:5", "`name` is missing", "add `name"},
        ConfigMistake{"{name: t}", "4:5", "`run` is missing", "add `run"},
        ConfigMistake{"{name: t, run: }", "4:15", "run: has no value", "a text"},
        ConfigMistake{"{name: t, run: make, timout: 3s}", "4:26", "evaluate[0].timout",
                      "did you mean `timeout`"},
        ConfigMistake{"{name: Test, run: make}", "4:12", "`Test` is no stage name", "lower-case"},
        ConfigMistake{"{name: a.b, run: make}", "4:12", "`a.b` is no stage name", "lower-case"},
        ConfigMistake{"{name: tests, run: make}", "4:12", "`tests` is the name of measured",
                      "another name"},
        ConfigMistake{"{name: patch, run: make}", "4:12", "`patch`", "another name"},
        ConfigMistake{"{name: stages, run: make}", "4:12", "`stages`", "another name"},
        ConfigMistake{"{name: holdout, run: make}", "4:12", "`holdout`", "another name"},
        ConfigMistake{"{name: t, run: a}\n  - {name: t, run: b}", "5:12", "`t` already",
                      "name of its own"},
        ConfigMistake{"{name: t, run: a, timeout: 61s}", "4:32", "longer than cell.wall 60s",
                      "raise cell.wall"},
        ConfigMistake{"{name: t, run: a, repeat: 101}", "4:31", "repeat", "from 1 to 100"},
        ConfigMistake{"{name: t, run: a, per_test: 2s}", "4:33", "per_test", "use pytest"},
        ConfigMistake{"{name: t, run: a, report: {pytest: stream}, per_test: 60s}", "4:59",
                      "60s is not shorter", "shorter"},
        ConfigMistake{"{name: t, run: a, report: {pytest: stream}, timeout: 2s, per_test: 2s}",
                      "4:72", "2s is not shorter than the stage's 2s", "shorter"},
        ConfigMistake{"{name: t, run: a, report: junit.xml}", "4:31", "needs the form",
                      "{junit: FILE}"},
        ConfigMistake{"{name: t, run: a, report: {}}", "4:31", "exactly one form", "{junit: FILE}"},
        ConfigMistake{"{name: t, run: a, report: {junit: a, tap: b}}", "4:31", "exactly one form",
                      "{tap: FILE}"},
        ConfigMistake{"{name: t, run: a, report: {junt: a}}", "4:32", "report.junt",
                      "did you mean `junit`"},
        ConfigMistake{"{name: t, run: a, report: {pytest: junit.xml}}", "4:40", "`junit.xml`",
                      "stream"},
        ConfigMistake{"{name: t, run: a, report: {junit: ../x}}", "4:39", "`../x`", "`..`"},
        ConfigMistake{"{name: t, run: a, report: {junit: $INSTAR_OUT/x}}", "4:39",
                      "relative to $INSTAR_OUT", "after `$INSTAR_OUT/`"},
        ConfigMistake{"{name: t, run: a, report: {tap: stdout}}", "4:37", "never a verdict",
                      "> $INSTAR_OUT/tests.tap"},
        ConfigMistake{"{name: t, run: a, outputs: [\"logs/\"]}", "4:33", "`logs/` is a pattern",
                      "name each file"},
        ConfigMistake{"{name: t, run: a, outputs: [\"*\"]}", "4:33", "`*` is a pattern",
                      "name each file"},
        ConfigMistake{"{name: t, judge: a}", "4:15", "does not have judge stages yet",
                      "remove `judge`"},
        ConfigMistake{"{name: t, run: a, inputs: [a]}", "4:23", "judge stages", "remove `inputs`"},
        ConfigMistake{"{name: t, run: a, canary: x}", "4:23", "canary", "remove `canary`"},
        ConfigMistake{"{name: \"a\\x1b[2J\", run: a}", "4:12", "control", "plain text"}));

class ConfigTargetMistake : public testing::TestWithParam<ConfigMistake> {};

TEST_P(ConfigTargetMistake, IsRefusedAtItsPlaceWithTheFix) {
  expect_refused(parse(with_line(GetParam().body)), "instar.yaml", GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Each, ConfigTargetMistake,
    testing::Values(
        ConfigMistake{"sealled: [a]", "2:1", "sealled: there is no such key",
                      "did you mean `sealed`"},
        ConfigMistake{"version: 1", "2:1", "duplicate key `version`", "keep one"},
        ConfigMistake{"name: [a]", "2:7", "one value, not a list", "a text"},
        ConfigMistake{"name: ''", "2:7", "name: is empty", "write a text"},
        ConfigMistake{"sealed: tests/**", "2:9", "sealed: needs a list", "[a, b]"},
        ConfigMistake{"hidden: [a]", "2:1", "hidden", "remove `hidden`"},
        ConfigMistake{"holdout: []", "2:1", "holdout", "remove `holdout`"},
        ConfigMistake{"inputs: []", "2:1", "inputs", "remove `inputs`"},
        ConfigMistake{"env: [A=1]", "2:6", "env: needs a map", "NAME: value"},
        ConfigMistake{"env: {1A: x}", "2:11", "env.1A", "letters, digits and _"},
        ConfigMistake{"env: {HOME: /root}", "2:13", "env.HOME: is set by the cell", "remove it"},
        ConfigMistake{"env: {INSTAR_OUT: /x}", "2:19", "env.INSTAR_OUT", "choose a name"},
        ConfigMistake{"env: {A: \"x\\ny\"}", "2:10", "a newline", "in a file"},
        ConfigMistake{"env: {A: \"x\\0y\"}", "2:10", "a NUL or a newline", "in a file"},
        ConfigMistake{"env: {LD_PRELOAD: ./x.so}", "2:19", "loader", "in the command"},
        ConfigMistake{"env: {A: [x]}", "2:10", "literal text", "''"},
        ConfigMistake{"env: {A: }", "2:7", "literal text", "''"},
        ConfigMistake{"flaky: ignore", "2:8", "flaky: `ignore`", "exclude, refuse"},
        ConfigMistake{"generator: {kind: model}", "2:19", "generator.kind: `model`", "mutate"},
        ConfigMistake{"generator: {endpoint: https}", "2:13", "operator's configuration only",
                      "remove `endpoint`"},
        ConfigMistake{"generator: {api_key: sk-0123456789}", "2:13",
                      "generator.api_key: `api_key` is reserved", "remove `api_key`"},
        ConfigMistake{"generator: {command: [sh]}", "2:13", "operator's configuration only",
                      "remove `command`"},
        ConfigMistake{"search: {window: 1025}", "2:18", "search.window", "from 1 to 1024"},
        ConfigMistake{"search: {seed: -1}", "2:16", "search.seed", "whole number"},
        ConfigMistake{"plateau: 5", "2:1", "plateau", "known here"},
        ConfigMistake{"safety: {version: 1}", "2:10", "safety.version: there is no such key",
                      "known here"},
        ConfigMistake{"safety: {run: {wall: 10s}}", "2:22", "safety.run.wall: a run of 10s",
                      "raise run.wall"}));

class ConfigTargetWhole : public testing::TestWithParam<ConfigMistake> {};

TEST_P(ConfigTargetWhole, IsRefusedAtItsPlaceWithTheFix) {
  expect_refused(parse(GetParam().body), "instar.yaml", GetParam());
}

#define STAGES "evaluate: [{name: t, run: make}, {name: m, run: x, report: {metrics: m.json}}]\n"
#define SURFACE "surface: {allow: [a]}\n"

INSTANTIATE_TEST_SUITE_P(
    Each, ConfigTargetWhole,
    testing::Values(
        ConfigMistake{"", "1:1", "empty", "instar init"},
        ConfigMistake{"version: 1\n" STAGES "objectives: [{metric: cpu_s, goal: minimize}]\n",
                      "1:1", "`surface` is missing", "add `surface"},
        ConfigMistake{"version: 1\n" SURFACE "objectives: [{metric: cpu_s, goal: minimize}]\n",
                      "1:1", "`evaluate` is missing", "add `evaluate"},
        ConfigMistake{"version: 1\n" SURFACE STAGES, "1:1", "`objectives` is missing",
                      "add `objectives"},
        ConfigMistake{"version: 1\nsurface: {deny: [a]}\n", "2:10", "`allow` is missing",
                      "add `allow"},
        ConfigMistake{"version: 1\nsurface: {allow: []}\n", "2:18", "surface.allow: is empty",
                      "src/**"},
        ConfigMistake{"version: 1\n" SURFACE "evaluate: []\n", "3:11", "no stage", "add a stage"},
        ConfigMistake{"version: 1\n" SURFACE STAGES "objectives: []\n", "4:13",
                      "objectives: is empty", "tests.failed"},
        ConfigMistake{"version: 1\n" SURFACE STAGES "objectives: [{goal: minimize}]\n", "4:14",
                      "`metric` is missing", "add `metric"},
        ConfigMistake{"version: 1\n" SURFACE STAGES "objectives: [{metric: cpu_s}]\n", "4:14",
                      "`goal` is missing", "add `goal"},
        ConfigMistake{"version: 1\n" SURFACE STAGES "objectives: [{metric: cpu_s, goal: least}]\n",
                      "4:36", "goal: `least`", "minimize, maximize"},
        ConfigMistake{"version: 1\n" SURFACE STAGES
                      "objectives: [{metric: tests.failed, goal: minimize}]\n",
                      "4:23", "no stage has a test report", "measured here"},
        ConfigMistake{"version: 1\n" SURFACE STAGES
                      "objectives: [{metric: cpu_sec, goal: minimize}]\n",
                      "4:23", "`cpu_sec` cannot be measured", "did you mean `cpu_s`"},
        ConfigMistake{"version: 1\n" SURFACE STAGES
                      "objectives: [{metric: x.cpu_s, goal: minimize}]\n",
                      "4:23", "no stage of that name", "t.cpu_s"},
        ConfigMistake{"version: 1\n" SURFACE STAGES
                      "objectives: [{metric: t.score, goal: minimize}]\n",
                      "4:23", "no `report: {metrics: FILE}`", "t.cpu_s"},
        ConfigMistake{"version: 1\n" SURFACE STAGES
                      "objectives: [{metric: cpu_s, goal: minimize}, {metric: cpu_s, goal: "
                      "maximize}]\n",
                      "4:56", "objective already", "once"},
        ConfigMistake{"version: 1\n" SURFACE STAGES
                      "objectives: [{metric: cpu_s, goal: minimize, noise: 0}]\n",
                      "4:53", "noise: `0` is out of range", "from 0.0001"},
        ConfigMistake{"version: 1\n" SURFACE STAGES
                      "objectives: [{metric: cpu_s, goal: minimize, until: nan}]\n",
                      "4:53", "until: is not a number", "write a number"}));

TEST(ConfigTarget, PatternsMayNameADirectoryByItsSlash) {
  const auto target = parse(with_line("sealed: ['tests/']"));
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->sealed[0].value, "tests/");
}

TEST(ConfigTarget, MetricsOfAStageMayBeNamedFreely) {
  EXPECT_TRUE(parse("version: 1\n" SURFACE STAGES
                    "objectives: [{metric: m.score, goal: maximize}, {metric: t.cpu_s, goal: "
                    "minimize}]\n"));
}

TEST(ConfigTarget, SafetyPartTightensThePolicyAndSaysWhere) {
  Policy policy = default_policy();
  const auto target = parse_target(with_line(R"(safety:
  trust: {host: shared}
  level: namespace
  protected: ["Makefile"]
  cell: {wall: 30s, memory: 1GiB, outputs: 1MiB/10, require: [tree_memory]}
  run: {variants: 10}
  breakers: {stuck: 5})"),
                                   "instar.yaml", policy);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(policy.cell.wall, 30s);
  EXPECT_EQ(policy.cell.memory_bytes, isolation::kGiB);
  EXPECT_EQ(policy.cell.outputs_files, 10U);
  EXPECT_EQ(policy.floor, isolation::Level::kNamespace);
  EXPECT_EQ(policy.trust.host, Trust::Host::kShared);
  EXPECT_EQ(policy.run.variants, 10U);
  EXPECT_EQ(policy.protect.back().value, "Makefile");
  EXPECT_EQ(policy.protect.back().source, "instar.yaml:5");
  EXPECT_EQ(policy.sources.at("cell.wall"), "instar.yaml:6");
  EXPECT_EQ(policy.breakers.stuck, 5U);
  EXPECT_EQ(policy.digest, default_policy().digest) << "the operator's file is what it was";
}

class ConfigLoosening : public testing::TestWithParam<ConfigMistake> {};

TEST_P(ConfigLoosening, IsRefusedNamingBothLinesAndChangesNothing) {
  auto policy = parse_policy(
      "version: 1\nlevel: namespace\ntrust: {host: shared}\ncell: {wall: 60s, outputs: 1MiB/10}\n",
      "safety.yaml");
  ASSERT_TRUE(policy);
  const auto before = effective_policy(*policy);
  expect_refused(parse_target(with_line(GetParam().body), "instar.yaml", *policy), "instar.yaml",
                 GetParam());
  const auto after = effective_policy(*policy);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].value, after[i].value);
}

INSTANTIATE_TEST_SUITE_P(
    Each, ConfigLoosening,
    testing::Values(
        ConfigMistake{"safety: {level: guarded}", "2:17",
                      "`guarded` is looser than `namespace` of safety.yaml:2", "safety.yaml:2"},
        ConfigMistake{"safety: {trust: {host: dedicated}}", "2:24",
                      "`dedicated` is looser than `shared` of safety.yaml:3", "operator"},
        ConfigMistake{"safety: {trust: {generator: trusted}}", "2:29",
                      "`trusted` is looser than `auto` of built-in", "operator"},
        ConfigMistake{"safety: {cell: {wall: 61s}}", "2:23",
                      "`61s` is looser than `60s` of safety.yaml:4", "operator"},
        ConfigMistake{"safety: {cell: {memory: 4GiB}}", "2:25",
                      "`4GiB` is looser than `2GiB` of built-in", "operator"},
        ConfigMistake{"safety: {cell: {outputs: 1MiB/11}}", "2:26",
                      "`1MiB/11` is looser than `1MiB/10` of safety.yaml:4", "operator"},
        ConfigMistake{"safety: {run: {variants: 1001}}", "2:26", "looser than `1000`", "operator"},
        ConfigMistake{"safety: {breakers: {infra: 6}}", "2:28", "looser than `5`", "operator"},
        ConfigMistake{"safety: {regression: {cpu_s: 5%}}", "2:10", "`regression` is reserved",
                      "remove"},
        ConfigMistake{"safety: {run: {usd: 0}}", "2:16", "is reserved", "remove `usd`"},
        ConfigMistake{"safety: {inputs: [/opt]}", "2:19", "does not have inputs", "inputs: []"},
        ConfigMistake{"safety: {cell: {loopback: true}}", "2:27", "reserved", "false"}));

TEST(ConfigTarget, LoadsFromItsDirectoryAndNamesItAfterIt) {
  auto directory = TempDir::create("instar-target");
  ASSERT_TRUE(directory);
  Policy policy = default_policy();
  const auto missing = load_target(directory->path(), policy);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().hint, HasSubstr("instar init"));

  ASSERT_TRUE(write_file_atomic(directory->path() / "instar.yaml", with_line("flaky: refuse")));
  const auto target = load_target(directory->path(), policy);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->name, directory->path().filename().string());
  EXPECT_EQ(target->origin, (directory->path() / "instar.yaml").string());
}

TEST(ConfigTarget, ShowsEffectiveValuesWithTheirPlace) {
  const auto target = parse(kTriangle);
  ASSERT_TRUE(target);
  const auto values = effective_target(*target);
  const auto find = [&](const std::string& key) {
    for (const auto& value : values) {
      if (value.key == key) return value.value + " @ " + value.source;
    }
    return std::string("nothing");
  };
  EXPECT_EQ(find("surface.allow"), "[src/**] @ instar.yaml:3");
  EXPECT_EQ(find("flaky"), "exclude @ built-in");
  EXPECT_EQ(find("search.window"), "16 @ instar.yaml:14");
  EXPECT_EQ(find("evaluate.py"),
            "python3 -m pytest -q tests  (report: pytest stream, per test 2s) @ instar.yaml:10");
  EXPECT_EQ(find("objectives[1]"), "minimize bench.cpu_s, noise 0.02 @ instar.yaml:12");
}

}  // namespace
}  // namespace instar::engine
