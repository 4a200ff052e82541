#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "base/fd.h"

namespace instar {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(Fd, ClosesAtTheEndOfItsLife) {
  int number = -1;
  {
    const Fd fd = open_file("/dev/null", O_RDONLY).value();
    number = fd.get();
    ASSERT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Fd, MovingHandsTheDescriptorOverAndClosesTheOldOne) {
  Fd first = open_file("/dev/null", O_RDONLY).value();
  Fd second = open_file("/dev/null", O_RDONLY).value();
  const int kept = first.get();
  const int dropped = second.get();
  second = std::move(first);
  EXPECT_EQ(second.get(), kept);
  EXPECT_TRUE(is_open(kept));
  EXPECT_FALSE(is_open(dropped));
}

TEST(Fd, ReleaseLeavesItOpen) {
  Fd fd = open_file("/dev/null", O_RDONLY).value();
  const Fd again(fd.release());
  EXPECT_FALSE(fd.valid());
  EXPECT_TRUE(is_open(again.get()));
}

TEST(OpenFile, IsNotInheritedByPrograms) {
  const Fd fd = open_file("/dev/null", O_RDONLY).value();
  EXPECT_NE(::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(OpenFile, NamesTheMissingPath) {
  const auto opened = open_file("/nowhere/at/all", O_RDONLY);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(opened.error().message, testing::HasSubstr("/nowhere/at/all"));
}

TEST(WriteAll, GoesOnThroughShortWrites) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd out(ends[0]);
  Fd in(ends[1]);
  // Far more than a pipe holds: every write is short while the reader drains it.
  const std::string data(3'000'000, 'x');
  std::string received;
  std::thread reader([&] { received = read_all(out.get(), data.size(), "pipe").value_or(""); });
  const auto written = write_all(in.get(), data, "pipe");
  in.reset();
  reader.join();
  EXPECT_TRUE(written);
  EXPECT_EQ(received, data);
}

TEST(WriteAll, TellsAFullDisk) {
  const Fd full = open_file("/dev/full", O_WRONLY).value();
  const auto written = write_all(full.get(), "data", "the report");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().sys_errno, ENOSPC);
  EXPECT_THAT(written.error().message, testing::HasSubstr("the report"));
}

TEST(ReadAll, RefusesAnEndlessFile) {
  const Fd zero = open_file("/dev/zero", O_RDONLY).value();
  EXPECT_EQ(read_all(zero.get(), 1'000'000, "zero").error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace instar
