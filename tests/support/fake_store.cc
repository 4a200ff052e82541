#include "tests/support/fake_store.h"

#include <algorithm>
#include <cassert>

#include "base/sha256.h"
#include "checkpoints/ref_names.h"
#include "checkpoints/tree_change.h"

namespace instar::checkpoints {

namespace {

template <class Id>
Id id_of(const Digest& digest) {
  Id id;
  std::copy_n(digest.bytes.begin(), id.bytes.size(), id.bytes.begin());
  return id;
}

}  // namespace

TreeId FakeStore::add_tree(const std::vector<TreeChange>& files) {
  const std::lock_guard lock(mutex_);
  auto made = apply({}, files);
  assert(made);
  return keep(*std::move(made), true);
}

CommitId FakeStore::add_commit(const TreeId& tree) {
  auto made = commit(
      {.tree = tree, .parents = {}, .author_name = "Somebody", .message = "Base\n", .time = {}});
  assert(made);
  return *made;
}

std::size_t FakeStore::trees_in_memory() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(trees_, [](const auto& tree) { return !tree.second.on_disk; }));
}

Result<std::shared_ptr<const FakeStore::Files>> FakeStore::files_of(const TreeId& tree) const {
  const auto found = trees_.find(tree);
  if (found == trees_.end()) return fail(ErrorCode::kNotFound, "there is no tree " + tree.hex());
  return found->second.files;
}

Result<FakeStore::Files> FakeStore::apply(Files files, std::span<const TreeChange> changes) {
  for (const TreeChange& change : changes) {
    if (!change.content && files.erase(change.path) == 0) {
      return fail(ErrorCode::kNotFound, "cannot remove '" + change.path + "': it is not there");
    }
  }
  for (const TreeChange& change : changes) {
    if (!change.content) continue;
    TreeEntry entry{.path = change.path, .mode = change.mode, .blob = {}};
    if (change.mode == FileMode::kGitlink) {
      entry.blob.bytes = CommitId::parse(*change.content)->bytes;
    } else {
      entry.blob = id_of<BlobId>(PartsHash().add("blob").add(*change.content).finish());
      blobs_[entry.blob] = *change.content;
    }
    files[change.path] = entry;
  }
  for (const auto& [path, entry] : files) {
    const auto below = files.lower_bound(path + "/");
    if (below != files.end() && below->first.starts_with(path + "/")) {
      return fail(ErrorCode::kInvalidInput, "'" + path + "' is both a file and a directory");
    }
  }
  return files;
}

TreeId FakeStore::keep(Files files, bool on_disk) {
  PartsHash hash;
  hash.add("tree");
  for (const auto& [path, entry] : files) {
    hash.add(path).add(to_string(entry.mode)).add(entry.blob.hex());
  }
  const TreeId id = id_of<TreeId>(hash.finish());
  Tree& tree = trees_[id];
  if (!tree.files) tree.files = std::make_shared<const Files>(std::move(files));
  tree.on_disk = tree.on_disk || on_disk;
  if (!tree.on_disk) ++tree.holds;
  return id;
}

Result<std::vector<TreeEntry>> FakeStore::list(const TreeId& tree) {
  const std::lock_guard lock(mutex_);
  const auto files = INSTAR_TRY(files_of(tree));
  std::vector<TreeEntry> entries;
  for (const auto& [path, entry] : *files) entries.push_back(entry);
  return entries;
}

Result<std::optional<TreeEntry>> FakeStore::find(const TreeId& tree, const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto files = INSTAR_TRY(files_of(tree));
  const auto found = files->find(path);
  if (found == files->end()) return std::optional<TreeEntry>{};
  return std::optional(found->second);
}

Result<std::string> FakeStore::read(const BlobId& blob) {
  const std::lock_guard lock(mutex_);
  const auto found = blobs_.find(blob);
  if (found == blobs_.end()) return fail(ErrorCode::kNotFound, "there is no blob " + blob.hex());
  return found->second;
}

Result<TreeId> FakeStore::with_changes(const TreeId& base, std::span<const TreeChange> changes) {
  INSTAR_CHECK(check_changes(changes));
  const std::lock_guard lock(mutex_);
  const auto files = INSTAR_TRY(files_of(base));
  return keep(INSTAR_TRY(apply(*files, changes)), false);
}

Result<std::vector<TreeDelta>> FakeStore::diff(const TreeId& before, const TreeId& after) {
  const std::lock_guard lock(mutex_);
  const auto old_files = INSTAR_TRY(files_of(before));
  const auto new_files = INSTAR_TRY(files_of(after));
  std::map<std::string, TreeDelta> deltas;
  for (const auto& [path, entry] : *old_files) deltas[path].before = entry;
  for (const auto& [path, entry] : *new_files) deltas[path].after = entry;
  std::vector<TreeDelta> differing;
  for (auto& [path, delta] : deltas) {
    if (delta.before != delta.after) differing.push_back(std::move(delta));
  }
  return differing;
}

void FakeStore::forget(const TreeId& tree) {
  const std::lock_guard lock(mutex_);
  const auto found = trees_.find(tree);
  if (found == trees_.end() || found->second.on_disk) return;
  if (--found->second.holds <= 0) trees_.erase(found);
}

Result<CommitInfo> FakeStore::commit_info(const CommitId& commit) {
  const std::lock_guard lock(mutex_);
  const auto found = commits_.find(commit);
  if (found == commits_.end()) {
    return fail(ErrorCode::kNotFound, "there is no commit " + commit.hex());
  }
  return found->second;
}

Result<void> FakeStore::check_write(const std::string& call) const {
  return before_write ? before_write(call) : Result<void>{};
}

Result<CommitId> FakeStore::commit(const CommitSpec& spec) {
  INSTAR_CHECK(check_write("commit"));
  const std::lock_guard lock(mutex_);
  const auto tree = trees_.find(spec.tree);
  if (tree == trees_.end()) {
    return fail(ErrorCode::kNotFound, "there is no tree " + spec.tree.hex());
  }
  CommitInfo info{
      .id = {},
      .tree = spec.tree,
      .parents = spec.parents,
      .author_name = spec.author_name,
      .message = spec.message,
      .time_s = std::chrono::floor<std::chrono::seconds>(spec.time).time_since_epoch().count()};
  PartsHash hash;
  hash.add("commit").add(spec.tree.hex()).add(spec.author_name).add(spec.message);
  hash.add(std::to_string(info.time_s));
  for (const CommitId& parent : spec.parents) {
    if (!commits_.contains(parent)) {
      return fail(ErrorCode::kNotFound, "there is no commit " + parent.hex());
    }
    hash.add(parent.hex());
  }
  info.id = id_of<CommitId>(hash.finish());
  tree->second.on_disk = true;
  commits_[info.id] = info;
  return info.id;
}

Result<std::vector<Ref>> FakeStore::refs(const std::string& prefix) {
  const std::lock_guard lock(mutex_);
  std::vector<Ref> found;
  for (auto at = refs_.lower_bound(prefix); at != refs_.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    found.push_back({at->first, at->second});
  }
  return found;
}

Result<void> FakeStore::move_ref(const std::string& name, const std::string& target_hex,
                                 const std::optional<std::string>& expected_hex) {
  INSTAR_CHECK(check_write("move_ref"));
  if (!is_own_ref(name)) {
    return fail(ErrorCode::kInternal, "'" + name + "' is not a ref of ours");
  }
  const std::lock_guard lock(mutex_);
  const auto blob = BlobId::parse(target_hex);
  const auto commit = CommitId::parse(target_hex);
  if (!blob || (!blobs_.contains(*blob) && !commits_.contains(*commit))) {
    return fail(ErrorCode::kNotFound, "there is no object " + target_hex);
  }
  const auto found = refs_.find(name);
  std::optional<std::string> current;
  if (found != refs_.end()) current = found->second;
  if (current == target_hex) return {};
  if (current != expected_hex) {
    return fail(ErrorCode::kIntegrity, name + " is not where it was expected");
  }
  refs_[name] = target_hex;
  return {};
}

Result<BlobId> FakeStore::write_blob(std::string_view content) {
  INSTAR_CHECK(check_write("write_blob"));
  const std::lock_guard lock(mutex_);
  const BlobId id = id_of<BlobId>(PartsHash().add("blob").add(content).finish());
  blobs_[id] = std::string(content);
  return id;
}

}  // namespace instar::checkpoints
