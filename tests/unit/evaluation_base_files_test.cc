#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "engine/evaluation/base_files.h"
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
       {.path = "etc", .content = "/etc", .mode = FileMode::kSymlink}});
  const auto directory = TempDir::create("base");
  ASSERT_TRUE(directory);
  const auto entries = store.list(tree);
  ASSERT_TRUE(entries);
  const auto left_out = write_base_files(store, *entries, {}, directory->path());
  ASSERT_TRUE(left_out) << left_out.error().message;
  EXPECT_THAT(*left_out, ElementsAre(HasSubstr("a/out"), HasSubstr("etc")));
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
        store, {{.path = path, .mode = FileMode::kRegular, .blob = blob}}, {}, directory->path());
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
  EXPECT_FALSE(write_base_files(store, entries, {}, directory->path()));
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

}  // namespace
}  // namespace instar::engine
