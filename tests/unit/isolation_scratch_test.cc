#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <set>

#include "isolation/scratch.h"
#include "tests/support/cell_harness.h"

namespace instar::isolation {
namespace {

namespace fs = std::filesystem;

/// A parent of scratch directories as /tmp is one.
TempDir passable_place() {
  TempDir place = TempDir::create("cell-sweep").value();
  ::chmod(place.path().c_str(), 0711);
  return place;
}

std::set<std::string> names_in(const fs::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.insert(entry.path().filename());
  return names;
}

void set_age(const fs::path& path, std::chrono::seconds age) {
  const timespec then{.tv_sec = ::time(nullptr) - age.count(), .tv_nsec = 0};
  const timespec times[2] = {then, then};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

/// An engine that is killed in the middle of a cell, with files of its own beside it.
void be_killed_at_work(const fs::path& place) {
  const pid_t engine = ::fork();
  ASSERT_GE(engine, 0);
  if (engine == 0) {
    const auto provider = make_cell_provider({.slots = 2, .scratch = place}).value();
    const auto base = TempDir::create("base", provider->scratch()).value();
    std::ofstream(base.path() / "source").flush();
    const auto workspace =
        provider->open_workspace({.base = base.path(), .changes = {}, .slot = 1}).value();
    CellSpec spec;
    spec.argv = {"sh", "-c", "mkdir made && test -e source"};
    spec.slot = 1;
    if (provider->run(spec, *workspace, {}).value().exit_code == 0) ::raise(SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(engine, &status, 0), engine);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
}

/// What is said of a TMPDIR, which is put back.
Error refused_tmpdir(const std::string& value) {
  const char* before = ::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", value.c_str(), 1);
  const auto made = Scratch::create({});
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
  return made ? Error{} : made.error();
}

TEST(Scratch, ATmpdirThatCannotBeUsedIsNamed) {
  const TempDir place = passable_place();
  const std::string file = place.path() / "file";
  std::ofstream(file).flush();
  for (const std::string& value : {std::string("/nope"), std::string("no/such/place"), file}) {
    const Error error = refused_tmpdir(value);
    EXPECT_EQ(error.code, ErrorCode::kInvalidInput) << value;
    EXPECT_NE(error.message.find(value + ", which TMPDIR names"), std::string::npos)
        << error.message;
    EXPECT_NE(error.hint.find("set TMPDIR"), std::string::npos) << error.hint;
  }
  EXPECT_EQ(refused_tmpdir(place.path()).message, "");
}

TEST(Scratch, EverythingOfAKilledEngineIsSweptByTheNextOne) {
  as_each_user([] {
    const TempDir place = passable_place();
    be_killed_at_work(place.path());
    EXPECT_EQ(names_in(place.path()).size(), 1U) << "the control: a kill leaves all of it behind";
    // Its launchers hold the lock until they have ended what it left.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    do {
      const auto next = Scratch::create(place.path()).value();
      if (names_in(place.path()).size() == 1) break;
    } while (std::chrono::steady_clock::now() < deadline);
    EXPECT_EQ(names_in(place.path()), std::set<std::string>{});
  });
}

TEST(Scratch, ALivingEnginesIsNotSwept) {
  const TempDir place = passable_place();
  const auto first = make_cell_provider({.slots = 1, .scratch = place.path()}).value();
  const auto workspace = first->open_workspace({}).value();
  const auto second = make_cell_provider({.slots = 1, .scratch = place.path()}).value();
  EXPECT_TRUE(fs::exists(path_of(*workspace)));
  EXPECT_NE(first->scratch(), second->scratch());
}

TEST(Scratch, OneThatWasNeverLockedIsSweptWhenItIsOld) {
  const TempDir place = passable_place();
  for (const char* name : {"instar-making-old", "instar-making-new", "instar-other"}) {
    fs::create_directory(place.path() / name);
  }
  set_age(place.path() / "instar-making-old", std::chrono::hours(1));
  set_age(place.path() / "instar-other", std::chrono::hours(1));
  { const auto made = Scratch::create(place.path()).value(); }
  EXPECT_EQ(names_in(place.path()), (std::set<std::string>{"instar-making-new", "instar-other"}));
}

TEST(Scratch, OneWhoseRemovalWasCutOffIsSwept) {
  as_each_user([] {
    const TempDir place = passable_place();
    // The lock went first, the rest did not.
    fs::create_directories(place.path() / "instar-cells-half/s/w/work");
    { const auto made = Scratch::create(place.path()).value(); }
    EXPECT_EQ(names_in(place.path()), std::set<std::string>{});
  });
}

TEST(Scratch, IsRefusedWhereEveryCellCanRead) {
  const auto refused = Scratch::create("/usr/share");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(refused.error().message.find("/usr"), std::string::npos);
  const TempDir place = passable_place();
  EXPECT_TRUE(Scratch::create(place.path()));
  EXPECT_TRUE(Scratch::create(place.path() / ".." / place.path().filename()));
}

}  // namespace
}  // namespace instar::isolation
