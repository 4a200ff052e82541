#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "checkpoints/object_id.h"

namespace instar::checkpoints {

/// The kinds of entry a git tree can have; a tree inside a tree shows only as the files below it.
enum class FileMode { kRegular, kExecutable, kSymlink, kGitlink };
std::string_view to_string(FileMode mode);  ///< "100644", "100755", "120000", "160000"

struct TreeEntry {
  std::string path;  ///< from the root of the tree, raw bytes as git has them
  FileMode mode = FileMode::kRegular;
  BlobId blob;  ///< for a gitlink, the commit's id
  bool operator==(const TreeEntry&) const = default;
};

/// One path to set or to remove in a tree.
struct TreeChange {
  std::string path;
  std::optional<std::string> content;  ///< nothing: remove
  FileMode mode = FileMode::kRegular;
};

/// A path that differs between two trees.
struct TreeDelta {
  std::optional<TreeEntry> before;
  std::optional<TreeEntry> after;
  [[nodiscard]] const std::string& path() const { return after ? after->path : before->path; }
};

struct CommitSpec {
  TreeId tree;
  std::vector<CommitId> parents;
  std::string author_name;  ///< "Instar <run>" without the address
  std::string message;      ///< with trailers
  std::chrono::system_clock::time_point
      time;  ///< taken from the ledger, so that a replay makes the same id
};

struct CommitInfo {
  CommitId id;
  TreeId tree;
  std::vector<CommitId> parents;
  std::string author_name;
  std::string message;
  std::int64_t time_s = 0;
};

struct Ref {
  std::string name;
  std::string target_hex;
};

/// Trees, commits and refs of the target. Trees are made in memory: nothing reaches the disk until
/// `commit`. Thread-safe. Implementations: GitStore (git_store.h), and a fake in tests/support.
class CheckpointStore {
 public:
  virtual ~CheckpointStore() = default;

  /// Every file of the tree, sorted by path.
  virtual Result<std::vector<TreeEntry>> list(const TreeId& tree) = 0;
  virtual Result<std::optional<TreeEntry>> find(const TreeId& tree, const std::string& path) = 0;
  /// Raw bytes: no filter, no end-of-line conversion.
  virtual Result<std::string> read(const BlobId& blob) = 0;
  /// The tree that `changes` make of `base`, kept in memory. Costs the paths changed, not the
  /// repository.
  virtual Result<TreeId> with_changes(const TreeId& base, std::span<const TreeChange> changes) = 0;
  /// Costs the subtrees that differ.
  virtual Result<std::vector<TreeDelta>> diff(const TreeId& before, const TreeId& after) = 0;
  /// Drops what only this in-memory tree holds; a no-op for trees on disk and for trees that others
  /// hold too.
  virtual void forget(const TreeId& tree) = 0;

  virtual Result<CommitInfo> commit_info(const CommitId& commit) = 0;
  /// Writes the tree's in-memory objects and the commit to the object store, synced, unreferenced.
  virtual Result<CommitId> commit(const CommitSpec& spec) = 0;

  virtual Result<std::vector<Ref>> refs(const std::string& prefix) = 0;
  /// Moves by compare-and-swap: fails with kIntegrity when the ref is not at `expected` (nothing:
  /// must not exist), unless it is at `target` already, which is success, so that a replay can
  /// repeat it.
  virtual Result<void> move_ref(const std::string& name, const std::string& target_hex,
                                const std::optional<std::string>& expected_hex) = 0;
  /// Writes a blob to disk (for the ledger's anchor) and gives its id.
  virtual Result<BlobId> write_blob(std::string_view content) = 0;
};

}  // namespace instar::checkpoints
