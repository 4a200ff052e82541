#pragma once

#include <memory>
#include <mutex>

#include "checkpoints/git_handle.h"
#include "checkpoints/object_database.h"
#include "checkpoints/object_memory.h"
#include "checkpoints/repository.h"
#include "checkpoints/store.h"

namespace instar::checkpoints {

/// The CheckpointStore in the target's own repository. Reads no configuration at all, writes only
/// objects and refs below refs/instar/, never the index, the working tree, HEAD or a reflog; runs
/// no hook. Objects are synced as they are written.
class GitStore final : public CheckpointStore {
 public:
  static Result<std::unique_ptr<GitStore>> open(const Repository& repository);

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

  /// Removes lock files that a killed engine left below refs/instar/<run>/. Only for the holder of
  /// the run's lock, who knows that no other engine is there.
  Result<void> clear_stale_locks(const std::string& run);
  /// Blobs and trees that are not on disk.
  [[nodiscard]] std::size_t objects_in_memory() const;

 private:
  GitStore(GitPtr<git_repository> handle, ObjectDatabase database);
  [[nodiscard]] Result<std::string> read_object(const RawId& id, ObjectKind kind) const;
  Result<void> write_tree(const RawId& tree);

  GitPtr<git_repository> handle_;
  ObjectDatabase database_;
  std::mutex refs_mutex_;
  mutable std::mutex memory_mutex_;
  ObjectMemory memory_;  ///< guarded by memory_mutex_
};

}  // namespace instar::checkpoints
