#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "base/files.h"

namespace instar {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  [[nodiscard]] fs::path at(const std::string& name) const { return dir_.path() / name; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(dir_.path())) {
      found.push_back(entry.path().filename());
    }
    return found;
  }

  TempDir dir_ = TempDir::create("instar-files").value();
};

mode_t mode_of(const fs::path& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

TEST_F(Files, AtomicWriteCreatesWithTheModeAndLeavesNothingElse) {
  ASSERT_TRUE(write_file_atomic(at("new"), std::string("a\0b", 3), 0600));
  EXPECT_EQ(read_file(at("new"), 100).value(), std::string("a\0b", 3));
  EXPECT_EQ(mode_of(at("new")), 0600U);
  EXPECT_THAT(names(), testing::ElementsAre("new"));
}

TEST_F(Files, AtomicWriteGivesAnOpenReaderTheOldFile) {
  ASSERT_TRUE(write_file_atomic(at("file"), "old"));
  const Fd reader = open_file(at("file"), O_RDONLY).value();
  ASSERT_TRUE(write_file_atomic(at("file"), "newer"));
  EXPECT_EQ(read_all(reader.get(), 100, "file").value(), "old");
  EXPECT_EQ(read_file(at("file"), 100).value(), "newer");
}

TEST_F(Files, AtomicWriteThatCannotRenameLeavesTheDirectoryAsItWas) {
  fs::create_directories(at("taken") / "inside");
  const auto done = write_file_atomic(at("taken"), "data");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kIo);
  EXPECT_THAT(done.error().message, HasSubstr("taken"));
  EXPECT_THAT(names(), testing::ElementsAre("taken"));
}

TEST_F(Files, AtomicWriteReplacesASymlinkAndNotWhatItPointsTo) {
  ASSERT_TRUE(write_file_atomic(at("aim"), "untouched"));
  fs::create_symlink(at("aim"), at("link"));
  ASSERT_TRUE(write_file_atomic(at("link"), "data"));
  EXPECT_EQ(read_file(at("aim"), 100).value(), "untouched");
  EXPECT_FALSE(fs::is_symlink(at("link")));
}

TEST_F(Files, ReadRefusesMoreThanAllowedAndTakesExactlyThat) {
  ASSERT_TRUE(write_file_atomic(at("file"), std::string(70'000, 'x')));
  EXPECT_EQ(read_file(at("file"), 70'000).value().size(), 70'000U);
  const auto read = read_file(at("file"), 69'999);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(read.error().message, HasSubstr("69999"));
}

TEST_F(Files, ReadTellsAMissingFileFromOneThatIsNone) {
  EXPECT_EQ(read_file(at("missing"), 1).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read_file(dir_.path(), 1).error().code, ErrorCode::kInvalidInput);
  // Opening a FIFO for reading would wait for a writer.
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_file(at("fifo"), 1).error().code, ErrorCode::kInvalidInput);
}

TEST_F(Files, TempDirIsPrivateAndRemovedWithWhatIsInIt) {
  fs::path path;
  {
    const TempDir temp = TempDir::create("inner", dir_.path()).value();
    path = temp.path();
    EXPECT_EQ(mode_of(path), 0700U);
    fs::create_directories(path / "deep" / "down");
    ASSERT_TRUE(write_file_atomic(path / "deep" / "file", "x"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Files, TempDirThatMovedIsRemovedOnce) {
  TempDir first = TempDir::create("a", dir_.path()).value();
  TempDir second = TempDir::create("b", dir_.path()).value();
  const fs::path kept = first.path();
  second = std::move(first);
  EXPECT_TRUE(fs::exists(kept));
  EXPECT_EQ(second.path(), kept);
}

TEST_F(Files, TempDirBelowNothingIsAnError) {
  const auto made = TempDir::create("x", at("missing"));
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("missing"));
}

}  // namespace
}  // namespace instar
