#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "checkpoints/store.h"

namespace instar::checkpoints {

/// A CheckpointStore without git or disk: content-addressed and deterministic, with the same
/// contract and the same errors as GitStore, but ids of its own. Thread-safe.
class FakeStore final : public CheckpointStore {
 public:
  /// A tree "on disk", as a base has it: {{"src/a.py", "x = 1\n"}}.
  TreeId add_tree(const std::vector<TreeChange>& files);
  /// A root commit of the tree.
  CommitId add_commit(const TreeId& tree);
  /// Trees that nobody committed and nobody has forgotten yet.
  [[nodiscard]] std::size_t trees_in_memory() const;
  /// When set, called at the start of commit, move_ref and write_blob with the name of the call; an
  /// error it returns is the call's, and nothing happens.
  std::function<Result<void>(const std::string& call)> before_write;

  Result<std::vector<TreeEntry>> list(const TreeId& tree) override;
  Result<std::optional<TreeEntry>> find(const TreeId& tree, const std::string& path) override;
  Result<std::string> read(const BlobId& blob) override;
  Result<TreeId> with_changes(const TreeId& base, std::span<const TreeChange> changes) override;
  Result<std::vector<TreeDelta>> diff(const TreeId& before, const TreeId& after) override;
  void forget(const TreeId& tree) override;
  Result<CommitInfo> commit_info(const CommitId& commit) override;
  Result<CommitId> commit(const CommitSpec& spec) override;
  Result<std::vector<Ref>> refs(const std::string& prefix) override;
  Result<void> move_ref(const std::string& name, const std::string& target_hex,
                        const std::optional<std::string>& expected_hex) override;
  Result<BlobId> write_blob(std::string_view content) override;

 private:
  using Files = std::map<std::string, TreeEntry>;
  struct Tree {
    std::shared_ptr<const Files> files;
    bool on_disk = false;
    int holds = 0;  ///< with_changes minus forget
  };

  Result<std::shared_ptr<const Files>> files_of(const TreeId& tree) const;
  Result<Files> apply(Files files, std::span<const TreeChange> changes);
  TreeId keep(Files files, bool on_disk);
  Result<void> check_write(const std::string& call) const;

  mutable std::mutex mutex_;
  std::map<TreeId, Tree> trees_;
  std::map<BlobId, std::string> blobs_;
  std::map<CommitId, CommitInfo> commits_;
  std::map<std::string, std::string> refs_;
};

}  // namespace instar::checkpoints
