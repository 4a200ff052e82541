#pragma once

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "isolation/cell_provider.h"
#include "isolation/guard_control.h"

namespace instar::isolation {

/// The level that tests run at which hold for each: $INSTAR_TEST_LEVEL, else guarded.
inline Level level_under_test() {
  const char* name = std::getenv("INSTAR_TEST_LEVEL");
  return name == nullptr ? Level::kGuarded : parse_level(name).value();
}

/// Where the host sees a workspace, for a test that looks from outside.
inline std::filesystem::path path_of(const Workspace& workspace) {
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(workspace.directory()));
}

/// A provider with one slot and a workspace made of given files, for tests that run real cells.
class CellHarness {
 public:
  using Files = std::vector<std::pair<std::string, std::string>>;

  /// `off`: guards that are switched off, for a positive control.
  explicit CellHarness(const Files& files = {}, const std::vector<Guard>& off = {},
                       std::chrono::milliseconds patience = std::chrono::seconds(60))
      : scratch_(TempDir::create("cell-test").value()) {
    ::chmod(scratch_.path().c_str(), 0711);
    for (const Guard guard : off) set_guard_off(guard, true);
    auto made = make_cell_provider({.level = level_under_test(),
                                    .slots = 1,
                                    .scratch = scratch_.path(),
                                    .patience = patience});
    for (const Guard guard : off) set_guard_off(guard, false);
    if (!made) throw std::runtime_error(made.error().message);
    provider_ = *std::move(made);
    WorkspaceSpec spec;
    for (const auto& [path, content] : files) {
      spec.changes.push_back({.path = path, .content = content, .executable = true});
    }
    workspace_ = provider_->open_workspace(spec).value();
  }

  CellReport run(const CellSpec& spec) {
    auto report = provider_->run(spec, *workspace_, {});
    if (!report) throw std::runtime_error(report.error().message);
    return *std::move(report);
  }
  CellReport command(std::vector<std::string> argv, const Limits& limits = {}) {
    CellSpec spec;
    spec.argv = std::move(argv);
    spec.limits = limits;
    return run(spec);
  }
  CellReport sh(const std::string& script, const Limits& limits = {}) {
    return command({"sh", "-c", script}, limits);
  }
  CellReport python(const std::string& script, const Limits& limits = {}) {
    return command({"/usr/bin/python3", "-S", "-c", script}, limits);
  }

  CellProvider& provider() { return *provider_; }
  Workspace& workspace() { return *workspace_; }
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_.path(); }

 private:
  TempDir scratch_;
  std::unique_ptr<CellProvider> provider_;
  std::unique_ptr<Workspace> workspace_;
};

/// Runs the body in a child that is an ordinary user (as root: a user of its own, without any
/// capability), so that the same test shows both. Failures of the body fail the test.
inline void as_ordinary_user(const std::function<void()>& body) {
  if (::geteuid() != 0) {
    body();
    return;
  }
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    const auto id = static_cast<uid_t>(1'900'000'000 + ::getpid());
    const bool dropped = ::setgroups(0, nullptr) == 0 && ::setresgid(id, id, id) == 0 &&
                         ::setresuid(id, id, id) == 0;
    ::setenv("TMPDIR", "/tmp", 1);
    EXPECT_TRUE(dropped);
    try {
      if (dropped) body();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    std::fflush(nullptr);
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0) << "the body failed as an ordinary user";
}

/// The same body as whoever runs the tests and, where that is root, as an ordinary user as well.
inline void as_each_user(const std::function<void()>& body) {
  {
    SCOPED_TRACE("as the user of the tests");
    body();
  }
  if (::geteuid() != 0) return;
  SCOPED_TRACE("as an ordinary user");
  as_ordinary_user(body);
}

}  // namespace instar::isolation
