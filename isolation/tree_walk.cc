#include "isolation/tree_walk.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace instar::isolation {

namespace {
constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
}

Result<OpenDir> OpenDir::adopt(Fd fd) {
  DIR* stream = ::fdopendir(fd.get());
  if (stream == nullptr) return fail(Error::system("cannot read a directory", errno));
  fd.release();
  return OpenDir(stream);
}

Result<OpenDir> OpenDir::open_at(int parent, const char* name, bool force) {
  Fd fd(::openat(parent, name, kDirectoryFlags));
  if (!fd.valid() && force && errno == EACCES) {
    struct stat info {};
    if (::fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode) &&
        ::fchmodat(parent, name, 0700, 0) == 0) {
      fd = Fd(::openat(parent, name, kDirectoryFlags));
    }
  }
  if (!fd.valid()) {
    return fail(Error::system(std::string("cannot open the directory ") + name, errno));
  }
  return adopt(std::move(fd));
}

Result<OpenDir> OpenDir::open(const std::string& path) { return open_at(AT_FDCWD, path.c_str()); }

Result<const dirent*> OpenDir::next() {
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream_.get());
    if (entry == nullptr && errno != 0) {
      return fail(Error::system("cannot read a directory", errno));
    }
    if (entry == nullptr ||
        (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)) {
      return entry;
    }
  }
}

namespace {

struct Measuring {
  TreeUsage usage;
  std::uint64_t most_bytes;
  std::uint64_t most_inodes;

  [[nodiscard]] bool passed() const {
    return usage.too_deep || usage.bytes > most_bytes || usage.inodes > most_inodes;
  }

  void walk(OpenDir& directory, unsigned depth) {
    // A directory that the program removes under our hands ends its part of the look.
    for (;;) {
      const auto next = directory.next();
      if (!next || *next == nullptr) return;
      const dirent* entry = *next;
      struct stat info {};
      if (::fstatat(directory.fd(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      ++usage.inodes;
      const auto links = info.st_nlink == 0 || S_ISDIR(info.st_mode) ? 1 : info.st_nlink;
      usage.bytes += static_cast<std::uint64_t>(info.st_blocks) * 512 / links;
      if (S_ISDIR(info.st_mode)) {
        if (depth >= kDeepestTree) {
          usage.too_deep = true;
          return;
        }
        if (auto below = OpenDir::open_at(directory.fd(), entry->d_name)) walk(*below, depth + 1);
      }
      if (passed()) return;
    }
  }
};

}  // namespace

TreeUsage measure_tree(const std::string& path, std::uint64_t most_bytes,
                       std::uint64_t most_inodes) {
  Measuring measuring{.usage = {}, .most_bytes = most_bytes, .most_inodes = most_inodes};
  if (auto top = OpenDir::open(path)) measuring.walk(*top, 0);
  return measuring.usage;
}

namespace {

/// Removes a tree with a bounded number of descriptors: what lies deeper than `kDeepestTree` is
/// first moved up beside the top, under a name of our own.
class Remover {
 public:
  explicit Remover(int parent) : parent_(parent) {}

  Result<void> remove(const char* name) {
    INSTAR_CHECK(remove_directory(parent_, name, 0));
    for (unsigned i = 0; i < moved_; ++i) {  // more may be moved while these are removed
      INSTAR_CHECK(remove_directory(parent_, moved_name(i).c_str(), 0));
    }
    return {};
  }

 private:
  static std::string moved_name(unsigned index) {
    return ".removing-" + std::to_string(::getpid()) + "-" + std::to_string(index);
  }

  Result<void> remove_directory(int parent, const char* name, unsigned depth) {
    {
      OpenDir directory = INSTAR_TRY(OpenDir::open_at(parent, name, true));
      struct stat info {};
      if (::fstat(directory.fd(), &info) == 0 && (info.st_mode & S_IRWXU) != S_IRWXU) {
        ::fchmod(directory.fd(), 0700);  // without it, a plain user cannot unlink in it
      }
      INSTAR_CHECK(empty(directory, depth));
    }
    if (::unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT) {
      return fail(Error::system(std::string("cannot remove the directory ") + name, errno));
    }
    return {};
  }

  Result<void> empty(OpenDir& directory, unsigned depth) {
    while (const dirent* entry = INSTAR_TRY(directory.next())) {
      const char* name = entry->d_name;
      if (entry->d_type != DT_DIR) {
        if (::unlinkat(directory.fd(), name, 0) == 0 || errno == ENOENT) continue;
        if (errno != EISDIR && errno != EPERM) {
          return fail(Error::system(std::string("cannot remove ") + name, errno));
        }
      }
      if (depth < kDeepestTree) {
        INSTAR_CHECK(remove_directory(directory.fd(), name, depth + 1));
        continue;
      }
      ::fchmodat(directory.fd(), name, 0700, 0);  // moving writes its `..`
      if (::renameat(directory.fd(), name, parent_, moved_name(moved_).c_str()) != 0) {
        return fail(Error::system(std::string("cannot move aside ") + name, errno));
      }
      ++moved_;
    }
    return {};
  }

  int parent_;
  unsigned moved_ = 0;
};

}  // namespace

Result<void> remove_tree_at(int parent, const char* name) {
  struct stat info {};
  if (::fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) return {};
  return Remover(parent).remove(name);
}

}  // namespace instar::isolation
