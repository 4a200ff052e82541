#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "checkpoints/git_store.h"
#include "checkpoints/repository.h"

namespace instar::checkpoints {

/// For its life objects are written without fsync: setting up a repository that lives for one test
/// need not survive a power cut.
class UnsyncedWrites {
 public:
  UnsyncedWrites();
  UnsyncedWrites(const UnsyncedWrites&) = delete;
  UnsyncedWrites& operator=(const UnsyncedWrites&) = delete;
  ~UnsyncedWrites();
};

using Files = std::vector<TreeChange>;

/// A real repository in a directory of its own, made through libgit2 and removed at the end.
class TempRepository {
 public:
  /// With one commit of `files` on the branch `main`, checked out; no files: no commit either.
  explicit TempRepository(const std::vector<TreeChange>& files = {{"README", "hello\n"}},
                          const std::string& name = "repo");

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path git_dir() const { return path_ / ".git"; }
  [[nodiscard]] Repository repository() const;
  [[nodiscard]] std::unique_ptr<GitStore> store() const;
  [[nodiscard]] Snapshot base() const;
  /// Every path below the working tree with its kind, mode and bytes: two equal fingerprints mean
  /// that nothing there has changed. `except`: path prefixes that are left out.
  [[nodiscard]] std::string fingerprint(const std::vector<std::string>& except = {}) const;
  /// Output of plain git run here, without any configuration of the machine's user; fails the test
  /// when git does.
  std::string git(const std::string& arguments) const;

 private:
  TempDir directory_;
  std::filesystem::path path_;
};

}  // namespace instar::checkpoints
