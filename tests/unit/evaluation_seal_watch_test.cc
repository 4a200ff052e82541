#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "base/files.h"
#include "engine/evaluation/seal_watch.h"

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
    auto watch = SealWatch::start(directory.path(), {"src/tests/a", "src/tests/link"}).value();
    attack();
    return watch.touched().value();
  }
  TempDir directory = TempDir::create("watch").value();
};

TEST_F(WatchedTree, UseIsNoTouch) {
  EXPECT_THAT(touched_by([&] {
                std::ifstream(at("src/tests/link")).get();
                write("src/tests/new", "n");
                fs::rename(at("src/tests/new"), at("src/moved"));
                write("src/free", "y");
              }),
              IsEmpty());
}

TEST_F(WatchedTree, TheClockOfChangesIsPastEveryTimeThatWasSeen) {
  // Some kernels tell changes within one tick apart, others do not: with this none can be alike.
  for (int i = 0; i < 5; ++i) {
    write("src/tests/a", std::to_string(i));
    ASSERT_TRUE(SealWatch::start(directory.path(), {"src/tests/a"}));
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    struct stat seen {};
    ASSERT_EQ(::stat(at("src/tests/a").c_str(), &seen), 0);
    EXPECT_GT(std::pair(now.tv_sec, now.tv_nsec),
              std::pair(seen.st_ctim.tv_sec, seen.st_ctim.tv_nsec));
  }
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
  auto watch = SealWatch::start(directory.path(), {"src/tests/a", "absent/b", "absent"}).value();
  EXPECT_THAT(watch.touched().value(), IsEmpty());
  fs::remove_all(at("src"));
  EXPECT_THAT(watch.touched().value(), ElementsAre("src/tests/a"));
}

}  // namespace
}  // namespace instar::engine
