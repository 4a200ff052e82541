#include "checkpoints/git_store.h"

#include <git2.h>
#include <git2/sys/repository.h>

#include "checkpoints/commit_object.h"
#include "checkpoints/git_refs.h"
#include "checkpoints/ref_names.h"
#include "checkpoints/tree_edit.h"
#include "checkpoints/tree_walk.h"

namespace instar::checkpoints {

namespace fs = std::filesystem;

GitStore::GitStore(GitPtr<git_repository> handle, ObjectDatabase database)
    : handle_(std::move(handle)), database_(std::move(database)) {}

Result<std::unique_ptr<GitStore>> GitStore::open(const Repository& repository) {
  git_repository* raw = nullptr;
  if (git_repository_open_ext(&raw, repository.work_tree().c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH,
                              nullptr) != 0) {
    return fail(last_git_error(ErrorCode::kInvalidInput, "cannot open the repository"));
  }
  GitPtr<git_repository> handle(raw);
  auto database = INSTAR_TRY(ObjectDatabase::open(*raw, repository.partial()));
  // With a configuration that is empty no setting of the user can switch on reflogs for our refs,
  // or anything else.
  git_config* raw_config = nullptr;
  if (git_config_new(&raw_config) != 0) {
    return fail(last_git_error(ErrorCode::kInternal, "cannot make an empty configuration"));
  }
  const GitPtr<git_config> config(raw_config);
  if (git_repository_set_config(raw, raw_config) != 0) {
    return fail(last_git_error(ErrorCode::kInternal, "cannot set the empty configuration"));
  }
  return std::unique_ptr<GitStore>(new GitStore(std::move(handle), std::move(database)));
}

Result<std::string> GitStore::read_object(const RawId& id, ObjectKind kind) const {
  std::shared_ptr<const std::string> kept;
  {
    const std::lock_guard lock(memory_mutex_);
    const MemoryObject* object = memory_.find(id);
    if (object != nullptr && object->kind == kind) kept = object->bytes;
  }
  if (kept) return *kept;
  return database_.read(id, kind);
}

Result<std::vector<TreeEntry>> GitStore::list(const TreeId& tree) {
  return list_tree(tree.bytes,
                   [this](const RawId& id) { return read_object(id, ObjectKind::kTree); });
}

Result<std::optional<TreeEntry>> GitStore::find(const TreeId& tree, const std::string& path) {
  return find_in_tree(tree.bytes, path,
                      [this](const RawId& id) { return read_object(id, ObjectKind::kTree); });
}

Result<std::string> GitStore::read(const BlobId& blob) {
  return read_object(blob.bytes, ObjectKind::kBlob);
}

Result<TreeId> GitStore::with_changes(const TreeId& base, std::span<const TreeChange> changes) {
  EditedTree edited = INSTAR_TRY(edit_tree(
      base.bytes, changes, [this](const RawId& id) { return read_object(id, ObjectKind::kTree); }));
  const std::lock_guard lock(memory_mutex_);
  memory_.hold(edited.id, edited.fresh);
  return TreeId{edited.id};
}

Result<std::vector<TreeDelta>> GitStore::diff(const TreeId& before, const TreeId& after) {
  return diff_trees(before.bytes, after.bytes,
                    [this](const RawId& id) { return read_object(id, ObjectKind::kTree); });
}

void GitStore::forget(const TreeId& tree) {
  const std::lock_guard lock(memory_mutex_);
  memory_.release(tree.bytes);
}

std::size_t GitStore::objects_in_memory() const {
  const std::lock_guard lock(memory_mutex_);
  return memory_.objects();
}

Result<CommitInfo> GitStore::commit_info(const CommitId& commit) {
  const std::string bytes = INSTAR_TRY(database_.read(commit.bytes, ObjectKind::kCommit));
  CommitInfo info = INSTAR_TRY(parse_commit(bytes));
  info.id = commit;
  return info;
}

Result<void> GitStore::write_tree(const RawId& tree) {
  std::vector<NamedObject> objects;
  {
    const std::lock_guard lock(memory_mutex_);
    objects = memory_.reachable(tree);
  }
  for (const NamedObject& object : objects) {
    INSTAR_TRY(database_.write(object.kind, *object.bytes));
  }
  if (!database_.contains(tree)) {
    return fail(ErrorCode::kNotFound, "there is no tree " + TreeId{tree}.hex() + " to commit");
  }
  const std::lock_guard lock(memory_mutex_);
  memory_.drop(objects);
  return {};
}

Result<CommitId> GitStore::commit(const CommitSpec& spec) {
  const std::string bytes = INSTAR_TRY(format_commit(spec));
  for (const CommitId& parent : spec.parents) {
    if (!database_.contains(parent.bytes)) {
      return fail(ErrorCode::kNotFound, "there is no commit " + parent.hex() + " to be a parent");
    }
  }
  INSTAR_CHECK(write_tree(spec.tree.bytes));
  return CommitId{INSTAR_TRY(database_.write(ObjectKind::kCommit, bytes))};
}

Result<std::vector<Ref>> GitStore::refs(const std::string& prefix) {
  const std::lock_guard lock(refs_mutex_);
  return list_refs(*handle_, prefix);
}

Result<void> GitStore::move_ref(const std::string& name, const std::string& target_hex,
                                const std::optional<std::string>& expected_hex) {
  const auto target = CommitId::parse(target_hex);
  if (!target || !database_.contains(target->bytes)) {
    return fail(ErrorCode::kNotFound, "there is no object " + target_hex + " for " + name);
  }
  const std::lock_guard lock(refs_mutex_);
  return move_own_ref(*handle_, name, target->bytes, expected_hex);
}

Result<BlobId> GitStore::write_blob(std::string_view content) {
  return BlobId{INSTAR_TRY(database_.write(ObjectKind::kBlob, content))};
}

Result<void> GitStore::clear_stale_locks(const std::string& run) {
  const std::string prefix = run_ref_prefix(run);
  if (!is_own_ref(prefix + "v")) return fail(ErrorCode::kInternal, "'" + run + "' is no run id");
  const fs::path directory = fs::path(git_repository_commondir(handle_.get())) / prefix;
  std::error_code error;
  std::vector<fs::path> locks;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == ".lock") locks.push_back(at->path());
  }
  if (error == std::errc::no_such_file_or_directory) return {};
  for (const fs::path& lock : locks) {
    if (!error) fs::remove(lock, error);
  }
  if (error)
    return fail(Error::system("cannot clear locks in " + directory.string(), error.value()));
  return {};
}

}  // namespace instar::checkpoints
