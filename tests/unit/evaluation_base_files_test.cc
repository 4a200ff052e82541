#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "engine/evaluation/base_files.h"
#include "engine/evaluation/compare.h"
#include "engine/evaluation/repeats.h"
#include "engine/evaluation/stage_cell.h"
#include "tests/support/fake_store.h"

namespace instar::engine {
namespace {

namespace fs = std::filesystem;
using checkpoints::FileMode;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(BaseFiles, WritesBytesModesAndLinksThatStayInside) {
  checkpoints::FakeStore store;
  const auto tree = store.add_tree(
      {{.path = "a/run.sh", .content = "#!/bin/sh\r\n", .mode = FileMode::kExecutable},
       {.path = "a/link", .content = "../b.txt", .mode = FileMode::kSymlink},
       {.path = "a/out", .content = "../../x", .mode = FileMode::kSymlink},
       {.path = "b.txt", .content = std::string("\0\xff", 2)},
       {.path = "etc", .content = "/etc", .mode = FileMode::kSymlink},
       {.path = "through", .content = "a/../b.txt", .mode = FileMode::kSymlink}});
  const auto directory = TempDir::create("base");
  ASSERT_TRUE(directory);
  const auto entries = store.list(tree);
  ASSERT_TRUE(entries);
  const auto left_out = write_base_files(store, *entries, directory->path());
  ASSERT_TRUE(left_out) << left_out.error().message;
  EXPECT_THAT(*left_out, ElementsAre(HasSubstr("a/out"), HasSubstr("etc"), HasSubstr("through")));
  EXPECT_EQ(*read_file(directory->path() / "a/run.sh", 100), "#!/bin/sh\r\n");
  EXPECT_EQ(*read_file(directory->path() / "b.txt", 100), std::string("\0\xff", 2));
  EXPECT_NE(fs::status(directory->path() / "a/run.sh").permissions() & fs::perms::owner_exec,
            fs::perms::none);
  EXPECT_EQ(fs::status(directory->path() / "b.txt").permissions() & fs::perms::owner_exec,
            fs::perms::none);
  EXPECT_EQ(fs::read_symlink(directory->path() / "a/link"), "../b.txt");
  EXPECT_FALSE(fs::exists(fs::symlink_status(directory->path() / "etc")));
}

TEST(BaseFiles, RefusesNamesThatLeaveTheTree) {
  checkpoints::FakeStore store;
  const auto tree = store.add_tree({{.path = "ok", .content = "x"}});
  const auto blob = store.list(tree)->at(0).blob;
  for (const char* path : {"../x", "a/../../x", "/x", "a//x", "./x", ".instar/x"}) {
    const auto directory = TempDir::create("base");
    ASSERT_TRUE(directory);
    const auto written = write_base_files(
        store, {{.path = path, .mode = FileMode::kRegular, .blob = blob}}, directory->path());
    EXPECT_FALSE(written) << path;
    EXPECT_TRUE(fs::is_empty(directory->path())) << path;
  }
}

TEST(BaseFiles, ALinkThroughWhichALaterFileWouldBeWrittenIsNotFollowed) {
  checkpoints::FakeStore store;
  const auto tree = store.add_tree(
      {{.path = "d/x", .content = "x"}, {.path = "e", .content = "d", .mode = FileMode::kSymlink}});
  auto entries = *store.list(tree);
  // A damaged tree that names `e` as a link and as a directory.
  entries.push_back({.path = "e/planted", .mode = FileMode::kRegular, .blob = entries[0].blob});
  const auto directory = TempDir::create("base");
  ASSERT_TRUE(directory);
  EXPECT_FALSE(write_base_files(store, entries, directory->path()));
  EXPECT_FALSE(fs::exists(directory->path() / "d/planted"));
}

TEST(StageDeadline, IsTenTimesTheBaseWithinTheLimits) {
  isolation::Limits cap;
  cap.cpu = cap.wall = milliseconds(60'000);
  Stage stage;
  stage.name = "s";
  EXPECT_EQ(stage_deadline(stage, cap, nullptr).cpu, milliseconds(60'000));
  stage.timeout = milliseconds(20'000);
  EXPECT_EQ(stage_deadline(stage, cap, nullptr).cpu, milliseconds(20'000));

  Baseline baseline;
  baseline.cpu_s["s"] = 0.01;
  EXPECT_EQ(stage_deadline(stage, cap, &baseline).cpu, milliseconds(1000));
  baseline.cpu_s["s"] = 0.5;
  EXPECT_EQ(stage_deadline(stage, cap, &baseline).cpu, milliseconds(5000));
  EXPECT_EQ(stage_deadline(stage, cap, &baseline).wall, milliseconds(20'000));
  baseline.wall_s["s"] = 4;
  EXPECT_EQ(stage_deadline(stage, cap, &baseline).wall, milliseconds(40'000));
  baseline.cpu_s["s"] = 100;
  EXPECT_EQ(stage_deadline(stage, cap, &baseline).cpu, milliseconds(20'000));
  EXPECT_LE(stage_deadline(stage, cap, &baseline).wall, cap.wall);

  stage.report = ReportKind::kPytest;
  baseline.cpu_s["s"] = 0.2;
  stage.per_test = milliseconds(1500);
  EXPECT_EQ(stage_deadline(stage, cap, &baseline).per_test, milliseconds(1500));
  EXPECT_EQ(stage_deadline(stage, cap, &baseline).cpu, milliseconds(2000 + 3 * 1500));
}

TEST(Repeats, ANoisyObjectiveBringsEnoughOfThem) {
  Target target;
  Stage bench;
  bench.name = "bench";
  Stage other;
  other.name = "other";
  target.evaluate = {other, bench};
  EXPECT_EQ(repeats_of(target, bench), 1U);
  target.objectives = {{.goal = Objective::Goal::kMinimize,
                        .metric = "bench.cpu_s",
                        .noise = std::nullopt,
                        .until = std::nullopt}};
  EXPECT_EQ(repeats_of(target, bench), 5U);
  EXPECT_EQ(repeats_of(target, other), 1U);
  target.objectives[0].metric = "cpu_s";
  EXPECT_EQ(repeats_of(target, other), 5U);
  target.evaluate[1].repeat = 9;
  EXPECT_EQ(repeats_of(target, target.evaluate[1]), 9U);
}

/// A target of one repeated stage as its file says it, with an objective on what the stage reports.
Target repeated_target(const std::string& objective) {
  Policy policy;
  auto target = parse_target(
      "version: 1\nsurface: {allow: [\"src/**\"]}\nevaluate:\n"
      "  - {name: bench, run: a, repeat: 2, report: {metrics: m.json}}\n"
      "  - {name: other, run: b, report: {metrics: m.json}}\n"
      "objectives: [" +
          objective + "]\n",
      "instar.yaml", policy);
  EXPECT_TRUE(target) << target.error().message;
  return target ? *std::move(target) : Target();
}

TEST(Repeats, WhatARepeatedStageReportsIsComparedStatisticallyWithoutNoise) {
  const Target target = repeated_target("{metric: bench.score, goal: maximize}");
  ASSERT_EQ(target.objectives.size(), 1U);
  EXPECT_TRUE(is_noisy(target.objectives[0]));
  // Two samples of each could never reach the level of the test.
  EXPECT_EQ(repeats_of(target, target.evaluate[0]), kMinNoisyRepeats);
  EXPECT_EQ(repeats_of(target, target.evaluate[1]), 1U);
  EXPECT_FALSE(settled_before(target, 2, {{"bench.score", 1}}, {{"bench.score", 2}}));
  Evaluation better;
  better.verdict = Verdict::kPassed;
  better.metrics = {{"bench.score", 3}};
  Evaluation parent = better;
  parent.metrics = {{"bench.score", 2}};
  EXPECT_EQ(compare(target.objectives, better, parent).result, Comparison::Result::kEqual)
      << "without samples nothing can be told";
  better.samples = {{"bench.score", {3.0, 3.1, 3.0, 3.2, 3.0}}};
  better.parent_samples = {{"bench.score", {2.0, 2.1, 2.0, 2.2, 2.0}}};
  EXPECT_EQ(compare(target.objectives, better, parent).result, Comparison::Result::kBetter);
}

TEST(Repeats, AnExactObjectiveStaysExact) {
  const Target counted = repeated_target("{metric: other.score, goal: maximize}");
  ASSERT_EQ(counted.objectives.size(), 1U);
  EXPECT_FALSE(is_noisy(counted.objectives[0]));
  EXPECT_EQ(repeats_of(counted, counted.evaluate[0]), 2U) << "nobody compares it";
  const Target timed = repeated_target("{metric: bench.cpu_s, goal: minimize}");
  EXPECT_EQ(timed.objectives.at(0).noise, std::nullopt) << "times keep the default of two percent";
  EXPECT_TRUE(is_noisy(timed.objectives[0]));
}

}  // namespace
}  // namespace instar::engine
