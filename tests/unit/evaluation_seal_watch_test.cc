#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "base/files.h"
#include "engine/evaluation/seal_watch.h"
#include "isolation/beneath.h"

namespace instar::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

/// A tree with the sealed entries src/tests/a and src/tests/link, and src/free beside them.
class WatchedTree : public testing::Test {
 protected:
  WatchedTree() {
    fs::create_directories(at("src/tests"));
    write("src/tests/a", "a");
    write("src/free", "x");
    fs::create_symlink("a", at("src/tests/link"));
  }
  [[nodiscard]] fs::path at(const std::string& name) const { return directory.path() / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
  }
  /// What is told of an attack that leaves everything as it was.
  std::vector<std::string> touched_by(const std::function<void()>& attack) {
    auto watch = SealWatch::start(root.get(), {"src/tests/a", "src/tests/link"}, pool).value();
    attack();
    return watch.touched().value();
  }
  TempDir directory = TempDir::create("watch").value();
  Fd root = isolation::hold_tree(directory.path()).value();
  MoveWatchPool pool;
};

/// In namespaces of this process's own, so that nothing is left and no right is needed.
bool mount_private_ramfs(const fs::path& directory) {
  const std::string map = "0 " + std::to_string(::geteuid()) + " 1";
  if (::geteuid() != 0) {
    if (::unshare(CLONE_NEWUSER) != 0) return false;
    std::ofstream("/proc/self/uid_map") << map;
  }
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("", "/", "", MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("ramfs", directory.c_str(), "ramfs", 0, nullptr) == 0;
}

TEST_F(WatchedTree, UseIsNoTouch) {
  EXPECT_THAT(touched_by([&] {
                std::ifstream(at("src/tests/link")).get();
                write("src/tests/new", "n");
                fs::rename(at("src/tests/new"), at("src/moved"));
                write("src/free", "y");
              }),
              IsEmpty());
}

/// Ends the process with 0 if ten changes that were put back at once all showed on a ramfs, which
/// takes its times from the clock's ticks on every kernel.
[[noreturn]] void watch_on_ramfs(const fs::path& directory) {
  if (!mount_private_ramfs(directory)) ::_exit(2);
  std::ofstream(directory / "a") << "a";
  const Fd root = isolation::hold_tree(directory).value();
  MoveWatchPool pool;
  for (int i = 0; i < 10; ++i) {
    auto watch = SealWatch::start(root.get(), {"a"}, pool).value();
    ::chmod((directory / "a").c_str(), 0600);
    ::chmod((directory / "a").c_str(), 0644);
    if (watch.touched().value().empty()) ::_exit(1);
  }
  ::_exit(0);
}

TEST_F(WatchedTree, WhereTimesAreAsCoarseAsTicksTheTickIsWaitedFor) {
  EXPECT_EXIT(watch_on_ramfs(directory.path()), testing::ExitedWithCode(0), "");
}

TEST_F(WatchedTree, AChangeOfAFileThatIsUndoneShowsAtOnceAndEachTime) {
  const fs::path a = at("src/tests/a");
  const std::vector<std::function<void()>> attacks{
      [&] { write("src/tests/a", "b"), write("src/tests/a", "a"); },
      [&] { ::chmod(a.c_str(), 0600), ::chmod(a.c_str(), 0644); },
      [&] { fs::create_hard_link(a, at("src/b")), fs::remove(at("src/b")); },
      [&] { fs::rename(a, at("src/b")), fs::rename(at("src/b"), a); },
      [&] { fs::remove(a), write("src/tests/a", "a"); },
      [&] {
        const timespec long_ago[2] = {{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 1, .tv_nsec = 0}};
        write("src/tests/a", "a");
        ::utimensat(AT_FDCWD, a.c_str(), long_ago, 0);
      },
      [&] {
        const Fd fd = open_file(a, O_RDWR).value();
        void* page = ::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
        ASSERT_NE(page, MAP_FAILED);
        *static_cast<volatile char*>(page) = 'b';
        *static_cast<volatile char*>(page) = 'a';
        ::munmap(page, 1);
      }};
  for (std::size_t i = 0; i < attacks.size(); ++i) {
    EXPECT_THAT(touched_by(attacks[i]), ElementsAre("src/tests/a")) << i;
  }
}

TEST_F(WatchedTree, ASymlinkThatIsReplacedAndRestoredShows) {
  EXPECT_THAT(touched_by([&] {
                fs::remove(at("src/tests/link"));
                fs::create_symlink("a", at("src/tests/link"));
              }),
              ElementsAre("src/tests/link"));
}

TEST_F(WatchedTree, ADirectoryAboveThatIsMovedAndPutBackShows) {
  for (const char* above : {"src/tests", "src"}) {
    EXPECT_THAT(touched_by([&] {
                  fs::rename(at(above), at("kept"));
                  fs::create_directory(at(above));
                  fs::remove(at(above));
                  fs::rename(at("kept"), at(above));
                }),
                ElementsAre(std::string(above) + "/"));
  }
}

TEST_F(WatchedTree, AMoveShowsInItsOwnStretchAlone) {
  const auto moves = [&](const char* from, const char* to) { fs::rename(at(from), at(to)); };
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(touched_by([&] { moves("src", "kept"), moves("kept", "src"); }),
                ElementsAre("src/"));
    moves("src", "kept"), moves("kept", "src");
    EXPECT_THAT(touched_by([] {}), IsEmpty());
  }
}

TEST_F(WatchedTree, ADirectoryAboveThatIsExchangedAndPutBackShows) {
  fs::create_directory(at("other"));
  const auto exchange = [&] {
    return ::syscall(SYS_renameat2, AT_FDCWD, at("other").c_str(), AT_FDCWD, at("src").c_str(),
                     RENAME_EXCHANGE);
  };
  EXPECT_THAT(touched_by([&] {
                ASSERT_EQ(exchange(), 0);
                ASSERT_EQ(exchange(), 0);
              }),
              ElementsAre("src/"));
}

TEST_F(WatchedTree, WhatIsGoneIsTouchedAndWhatWasNeverThereIsNot) {
  auto watch = SealWatch::start(root.get(), {"src/tests/a", "absent/b", "absent"}, pool).value();
  EXPECT_THAT(watch.touched().value(), IsEmpty());
  fs::remove_all(at("src"));
  EXPECT_THAT(watch.touched().value(), ElementsAre("src/tests/a"));
}

}  // namespace
}  // namespace instar::engine
