#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/files.h"
#include "isolation/beneath.h"
#include "isolation/entry_print.h"

namespace instar::isolation {
namespace {

namespace fs = std::filesystem;

class EntryStamps : public testing::Test {
 protected:
  EntryStamps() {
    EXPECT_TRUE(write_file_atomic(at("file"), "a"));
    fs::create_symlink("file", at("link"));
    root = hold_tree(directory.path()).value();
  }
  [[nodiscard]] fs::path at(const char* name) const { return directory.path() / name; }
  TempDir directory = TempDir::create("stamp").value();
  Fd root;
};

TEST_F(EntryStamps, TellTheEntryItselfAndWhenItChanged) {
  struct stat info {};
  ASSERT_EQ(::lstat(at("link").c_str(), &info), 0);
  const EntryStamp stamp = stamp_entry(root.get(), "link").value();
  EXPECT_EQ(stamp.inode, info.st_ino);
  EXPECT_EQ(stamp.changed, std::chrono::seconds(info.st_ctim.tv_sec) +
                               std::chrono::nanoseconds(info.st_ctim.tv_nsec));
  EXPECT_NE(stamp, stamp_entry(root.get(), "file").value());
}

TEST_F(EntryStamps, AnotherFileOfTheSameContentHasAnother) {
  const EntryStamp before = stamp_entry(root.get(), "file").value();
  EXPECT_EQ(before, stamp_entry(root.get(), "file").value());
  fs::copy_file(at("file"), at("copy"));
  fs::rename(at("copy"), at("file"));
  EXPECT_NE(before, stamp_entry(root.get(), "file").value());
}

TEST_F(EntryStamps, WhatIsMissingIsNotFound) {
  const auto missing = stamp_entry(root.get(), "absent");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace instar::isolation
