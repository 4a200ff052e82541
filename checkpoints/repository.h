#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checkpoints/git_handle.h"
#include "checkpoints/object_id.h"

namespace instar::checkpoints {

/// A commit of the target and the tree it holds.
struct Snapshot {
  CommitId commit;
  TreeId tree;
};

/// What in the working tree is not part of any commit. Only told to the user, never used.
struct Uncommitted {
  bool tracked = false;    ///< a tracked file, or the index, differs from HEAD
  bool untracked = false;  ///< a file that git does not know and does not ignore
  [[nodiscard]] bool any() const { return tracked || untracked; }
};

/// The target's repository as the user left it: where it is and what it has checked out. Reads
/// only. Not thread-safe.
class Repository {
 public:
  /// Finds the repository that `directory` is in. No repository, a bare one, one of another owner,
  /// SHA-256 objects and unknown extensions are kInvalidInput, each with its own way out.
  static Result<Repository> open(const std::filesystem::path& directory);

  /// The commit that is checked out, on a branch or detached.
  [[nodiscard]] Result<Snapshot> head() const;
  /// The commit that a revision names (`--base`): an id, a branch, a tag, `HEAD~2`.
  [[nodiscard]] Result<Snapshot> resolve(const std::string& revision) const;
  /// The short name of the checked-out branch; nothing when HEAD is detached or unborn.
  [[nodiscard]] std::optional<std::string> branch() const;
  /// How the working tree differs from HEAD; the file `except` is not looked at.
  [[nodiscard]] Result<Uncommitted> uncommitted(std::string_view except = {}) const;
  /// Files of the working tree that HEAD does not have: untracked, ignored, added only.
  [[nodiscard]] Result<std::vector<std::string>> not_in_head() const;

  /// The top of the working tree.
  [[nodiscard]] const std::filesystem::path& work_tree() const { return work_tree_; }
  /// The git directory that all linked working trees share: objects, refs, and our own state.
  [[nodiscard]] const std::filesystem::path& common_dir() const { return common_dir_; }
  /// Objects may be missing here and be fetched by git on demand, which we never do.
  [[nodiscard]] bool partial() const { return partial_; }

 private:
  explicit Repository(GitPtr<git_repository> handle);
  [[nodiscard]] Result<Snapshot> snapshot_of(git_object& named, const std::string& what) const;
  GitPtr<git_repository> handle_;
  std::filesystem::path work_tree_;
  std::filesystem::path common_dir_;
  bool partial_ = false;
};

}  // namespace instar::checkpoints
