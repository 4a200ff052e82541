#include "isolation/layer_store.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.h"
#include "isolation/cell_root.h"
#include "isolation/mounts.h"
#include "isolation/tree_copy.h"
#include "isolation/tree_walk.h"

namespace instar::isolation {

namespace {

std::string directory_of(std::uint64_t id) {
  return std::string(cell_path::kWorkspaces) + "/" + std::to_string(id);
}

std::string upper_of(std::uint64_t id, unsigned number) {
  return directory_of(id) + "/upper" + std::to_string(number);
}

Result<void> make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) == 0) return {};
  return fail(Error::system("cannot make a directory of a workspace", errno));
}

/// The top of the overlay has the owner and mode of its uppermost layer: those of the layer below.
Result<void> take_after(const std::string& upper, const std::string& lower) {
  struct stat below {};
  if (::stat(lower.c_str(), &below) == 0 &&
      ::chown(upper.c_str(), below.st_uid, below.st_gid) == 0 &&
      ::chmod(upper.c_str(), below.st_mode & 07777) == 0) {
    return {};
  }
  return fail(Error::system("cannot prepare the top of a workspace", errno));
}

Result<bool> is_empty(const std::string& directory) {
  OpenDir entries = INSTAR_TRY(OpenDir::open(directory));
  return INSTAR_TRY(entries.next()) == nullptr;
}

}  // namespace

std::string LayerStore::merged(std::uint64_t id) { return directory_of(id) + "/merged"; }

Result<Fd> LayerStore::mount_upper(std::uint64_t id, const Layers& layers) {
  const std::string upper = upper_of(id, layers.upper);
  const std::string work = directory_of(id) + "/work" + std::to_string(layers.upper);
  INSTAR_CHECK(make_directory(upper));
  INSTAR_CHECK(make_directory(work));
  INSTAR_CHECK(take_after(upper, layers.lower.front()));
  INSTAR_CHECK(mount_new(
      "overlay", merged(id),
      "userxattr,lowerdir=" + join(layers.lower, ":") + ",upperdir=" + upper + ",workdir=" + work));
  return open_file(merged(id), O_PATH | O_DIRECTORY | O_NOFOLLOW);
}

Result<Fd> LayerStore::make(std::uint64_t id, Layers layers, const LayerLimits& limits) {
  INSTAR_CHECK(make_directory(directory_of(id)));
  INSTAR_CHECK(mount_new("tmpfs", directory_of(id),
                         "mode=0755,size=" + std::to_string(limits.bytes) +
                             ",nr_inodes=" + std::to_string(limits.inodes)));
  INSTAR_CHECK(make_directory(merged(id)));
  if (layers.lower.empty()) {
    layers.lower.push_back(directory_of(id) + "/empty");
    INSTAR_CHECK(make_directory(layers.lower.front()));
  }
  Fd top = INSTAR_TRY(mount_upper(id, layers));
  open_.emplace(id, std::move(layers));
  return top;
}

Result<Fd> LayerStore::open(std::uint64_t id, const std::string& base, const LayerLimits& limits,
                            const std::vector<FileChange>& changes) {
  Layers layers;
  if (!base.empty()) layers.lower.push_back(std::string(cell_path::kScratch) + "/" + base);
  Fd top = INSTAR_TRY(make(id, std::move(layers), limits));
  const Fd root = INSTAR_TRY(open_file(merged(id), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  INSTAR_CHECK(apply_changes(root.get(), changes, std::nullopt));
  return top;
}

Result<LayerStore::Pair> LayerStore::snapshot(std::uint64_t id, std::uint64_t copy,
                                              const LayerLimits& limits) {
  const auto found = open_.find(id);
  if (found == open_.end()) return fail(ErrorCode::kInternal, "there is no such workspace");
  Layers& layers = found->second;
  const std::string upper = upper_of(id, layers.upper);
  Pair pair;
  if (INSTAR_TRY(is_empty(upper))) {
    pair.original = INSTAR_TRY(open_file(merged(id), O_PATH | O_DIRECTORY | O_NOFOLLOW));
  } else {
    // What was written becomes a layer below both.
    INSTAR_CHECK(detach_mount(merged(id)));
    layers.lower.insert(layers.lower.begin(), upper);
    ++layers.upper;
    pair.original = INSTAR_TRY(mount_upper(id, layers));
  }
  pair.copy = INSTAR_TRY(make(copy, {.lower = layers.lower, .upper = 0}, limits));
  return pair;
}

void LayerStore::close(std::uint64_t id) {
  open_.erase(id);
  (void)detach_mount(directory_of(id));
  ::rmdir(directory_of(id).c_str());
}

}  // namespace instar::isolation
