#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "isolation/cell_watch.h"
#include "isolation/tree_walk.h"
#include "tests/support/cell_harness.h"

/// What a command can do to its files so that others suffer: the next stage, the copy for a repeat,
/// the disk, the workspace that it is compared with.

namespace instar::isolation {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::unique_ptr<Workspace> with_file(CellHarness& cell) {
  WorkspaceSpec spec;
  spec.changes.push_back({.path = "file", .content = "content", .executable = false});
  return cell.provider().open_workspace(spec).value();
}

CellReport spoil(CellHarness& cell, const fs::path& other) {
  return cell.sh("chmod 0 " + (other / "file").string() + " && touch " + other.string() +
                 " && echo spoilt");
}

TEST(HostileTree, AnotherWorkspaceOfTheSlotIsOutOfReach) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "without root the modes of one user's files keep nobody out";
  CellHarness cell;
  const auto other = with_file(cell);
  const auto copy = other->snapshot({}).value();
  EXPECT_EQ(spoil(cell, path_of(*other)).out.head, "");
  EXPECT_EQ(spoil(cell, path_of(*copy)).out.head, "");
  CellSpec spec;
  spec.argv = {"sh", "-c", "cat file; cd .. && ls"};
  EXPECT_EQ(cell.provider().run(spec, *other, {}).value().out.head, "content");
  EXPECT_EQ(spoil(cell, path_of(*other)).out.head, "");  // also after it was open

  set_guard_off(Guard::kWorkspaceShut, true);
  const auto open = with_file(cell);
  EXPECT_EQ(spoil(cell, path_of(*open)).out.head, "spoilt\n");
  set_guard_off(Guard::kWorkspaceShut, false);
}

TEST(HostileTree, NamesOfWorkspacesCannotBeGuessed) {
  as_each_user([] {
    CellHarness cell;
    const auto first = with_file(cell);
    const auto second = with_file(cell);
    const std::string name = path_of(*first).parent_path().filename();
    EXPECT_EQ(name.size(), 25U) << name;
    EXPECT_NE(name, path_of(*second).parent_path().filename());
    // Nor looked up.
    EXPECT_NE(cell.sh("ls ../..").exit_code, 0);
  });
  as_ordinary_user(
      [] { EXPECT_EQ(CellHarness({}, {Guard::kLandlock}).sh("ls ../..").exit_code, 0); });
}

TEST(HostileTree, ShutDirectoriesOnTheWayAreOpenForTheNextStage) {
  as_each_user([] {
    CellHarness cell;
    CellSpec spec;
    spec.argv = {"sh", "-c",
                 "echo result > $INSTAR_OUT/r; chmod 0 .; chmod 0 $INSTAR_WORK/..; "
                 "chmod 0 $INSTAR_WORK/../..; chmod 0 $INSTAR_WORK/../../..; exit 0"};
    spec.outputs = {"r"};
    const CellReport report = cell.run(spec);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(report.outputs.front().bytes, "result\n") << report.outputs.front().refused;
    EXPECT_EQ(cell.sh("echo x > f && cat f").out.head, "x\n");
    EXPECT_EQ(cell.sh("chmod 0 . || exit 1").exit_code, 0);
    EXPECT_TRUE(cell.workspace().snapshot({}));
  });
}

TEST(HostileTree, WhatACellMayLeaveCanBeCopied) {
  as_each_user([] {
    for (const unsigned depth : {kDeepestTree - 2, kDeepestTree - 1, kDeepestTree}) {
      CellHarness cell;
      const CellReport report = cell.python("import os\nfor _ in range(" + std::to_string(depth) +
                                            "):\n    os.mkdir('d'); os.chdir('d')\n");
      const auto copy = cell.workspace().snapshot({});
      EXPECT_EQ(report.outcome == Outcome::kExited, static_cast<bool>(copy)) << depth;
      EXPECT_EQ(report.limit, depth < kDeepestTree ? "" : "inodes") << depth;
      EXPECT_TRUE(copy || copy.error().code == ErrorCode::kRefused) << depth;
    }
  });
}

/// The soft limit of open descriptors of this process, for a while.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit now{.rlim_cur = most, .rlim_max = before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &now), 0);
  }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  [[nodiscard]] rlim_t hard() const { return before_.rlim_max; }

 private:
  rlimit before_{};
};

TEST(HostileTree, CopiesOfDeepTreesDoNotRunOutOfDescriptors) {
  as_each_user([] {
    const DescriptorLimit few(64);
    CellHarness cell;
    rlimit raised{};
    ::getrlimit(RLIMIT_NOFILE, &raised);
    EXPECT_EQ(raised.rlim_cur, few.hard());
    EXPECT_EQ(cell.sh("ulimit -Sn; ulimit -Hn", {.open_files = 100}).out.head, "100\n100\n");

    cell.python("import os\nfor _ in range(" + std::to_string(kDeepestTree - 1) +
                "):\n    os.mkdir('d'); os.chdir('d')\n");
    // A seventh of what is usual: as many may be copied at once.
    const DescriptorLimit share(1024 / 7);
    const auto copy = cell.workspace().snapshot({});
    EXPECT_TRUE(copy) << copy.error().message;
  });
}

TreeUsage usage_of(const Workspace& workspace) {
  const Fd held = open_file(path_of(workspace), O_RDONLY | O_DIRECTORY).value();
  return measure_tree(held.get(), UINT64_MAX, UINT64_MAX);
}

TEST(HostileTree, ManyNamesOfOneFileAreCopiedOnce) {
  as_each_user([] {
    CellHarness cell;
    EXPECT_EQ(cell.sh("mkdir d; head -c 4194304 /dev/urandom > d/big; "
                      "for i in 1 2 3 4 5 6 7 8 9; do ln d/big l$i; done")
                  .exit_code,
              0);
    const auto copy = cell.workspace().snapshot({.workspace_bytes = 6 * kMiB}).value();
    EXPECT_LT(usage_of(*copy).bytes, 5 * kMiB);
    CellSpec spec;
    spec.argv = {"sh", "-c", "stat -c %h l9 && cmp d/big l1"};
    EXPECT_EQ(cell.provider().run(spec, *copy, {}).value().out.head, "10\n");
    EXPECT_EQ(cell.sh("stat -c %h l9").out.head, "10\n");

    const auto too_large = cell.workspace().snapshot({.workspace_bytes = kMiB});
    ASSERT_FALSE(too_large);
    EXPECT_EQ(too_large.error().code, ErrorCode::kRefused);
    const auto too_many = cell.workspace().snapshot({.inodes = 5});
    ASSERT_FALSE(too_many);
    EXPECT_EQ(too_many.error().code, ErrorCode::kRefused);
  });
}

constexpr const char* kBehindAShutDirectory =
    "import os, time\n"
    "d = os.environ['TMPDIR'] + '/shut'; os.mkdir(d); fd = os.open(d, os.O_RDONLY)\n"
    "os.mkdir('in', dir_fd=fd); inner = os.open('in', os.O_RDONLY, dir_fd=fd)\n"
    "f = os.open('big', os.O_CREAT | os.O_WRONLY, dir_fd=inner)\n"
    "os.fchmod(inner, MODE); os.fchmod(fd, MODE)\n"
    "for _ in range(8): os.write(f, b'x' * (1 << 20))\n"
    "time.sleep(PAUSE)\n";

std::string behind_a_shut_directory(const std::string& mode, const std::string& pause) {
  std::string script = kBehindAShutDirectory;
  for (const auto& [from, to] : {std::pair{"MODE", mode}, {"MODE", mode}, {"PAUSE", pause}}) {
    script.replace(script.find(from), std::string(from).size(), to);
  }
  return script;
}

TEST(HostileTree, BytesBehindAShutDirectoryCount) {
  as_each_user([] {
    const Limits small{.wall = 30s, .workspace_bytes = 2 * kMiB};
    for (const char* mode : {"0", "0o400", "0o100"}) {
      EXPECT_EQ(CellHarness().python(behind_a_shut_directory(mode, "20"), small).limit, "workspace")
          << mode;
      // Ended before the watch looks: the last look tells.
      EXPECT_EQ(CellHarness().python(behind_a_shut_directory(mode, "0"), small).limit, "workspace")
          << mode;
    }
    EXPECT_EQ(CellHarness({}, {Guard::kWorkspaceWatch})
                  .python(behind_a_shut_directory("0", "0"), small)
                  .exit_code,
              0);
  });
}

/// What the watch says of a workspace with a directory that the one who looks cannot open.
TEST(HostileTree, APartThatCannotBeLookedAtIsALimit) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to make a directory that is somebody else's";
  const TempDir host = TempDir::create("hidden").value();
  ASSERT_EQ(::chmod(host.path().c_str(), 0755), 0);
  const fs::path closed = host.path() / "work/closed";
  fs::create_directories(closed);
  fs::create_directories(host.path() / "cell");
  const auto said = [&](mode_t mode, LimitHit expected) {
    ASSERT_EQ(::chmod(closed.c_str(), mode), 0);
    as_ordinary_user([&] {
      CellRequest request;
      request.workspace = host.path() / "work";
      request.cell = host.path() / "cell";
      auto watch = CellWatch::make(request, CellWatch::Clock::now(), {});
      ASSERT_TRUE(watch);
      EXPECT_EQ(watch->final_look(), expected);
    });
  };
  said(0755, LimitHit::kNone);
  said(0700, LimitHit::kHidden);
}

TEST(HostileTree, ALookLeavesModesAsTheyWere) {
  as_each_user([] {
    CellHarness cell;
    EXPECT_EQ(cell.sh("mkdir -p a/b; chmod 0 a/b; chmod 400 a; sleep 0.4; stat -c %a a").out.head,
              "400\n");
    EXPECT_TRUE(cell.workspace().snapshot({}));
    EXPECT_EQ(cell.sh("stat -c %a a; chmod 700 a; stat -c %a a/b").out.head, "400\n0\n");
  });
}

}  // namespace
}  // namespace instar::isolation
