#include "isolation/tree_walk.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace instar::isolation {

namespace {
constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
}

namespace {

constexpr mode_t kLook = S_IRUSR | S_IXUSR;

/// Opens a directory that its mode shuts against its owner, with the bits that are missing. By a
/// descriptor, so that a symlink put in its place is not followed.
Fd open_shut(int parent, const char* name, mode_t& before) {
  const Fd held(::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!held.valid() || ::fstat(held.get(), &info) != 0) return {};
  before = info.st_mode & 07777;
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", held.get());
  if (::chmod(path.data(), before | kLook) != 0) {
    errno = EACCES;
    return {};
  }
  return Fd(::openat(held.get(), ".", kDirectoryFlags));
}

}  // namespace

void OpenDir::Closer::operator()(DIR* stream) const {
  struct stat info {};
  if (restored && ::fstat(::dirfd(stream), &info) == 0 &&
      (info.st_mode & 07777) == (*restored | kLook)) {
    ::fchmod(::dirfd(stream), *restored);
  }
  ::closedir(stream);
}

Result<OpenDir> OpenDir::adopt(Fd fd, Shut shut) {
  struct stat info {};
  std::optional<mode_t> restored;
  // A directory may be listed and still not be passed. As root that says nothing.
  if (shut != Shut::kRefuse && ::geteuid() != 0 && ::fstat(fd.get(), &info) == 0 &&
      (info.st_mode & kLook) != kLook && ::fchmod(fd.get(), (info.st_mode & 07777) | kLook) == 0) {
    restored = info.st_mode & 07777;
  }
  DIR* stream = ::fdopendir(fd.get());
  if (stream == nullptr) return fail(Error::system("cannot read a directory", errno));
  fd.release();
  return OpenDir(stream, Closer{shut == Shut::kPeek ? restored : std::nullopt});
}

Result<OpenDir> OpenDir::open_at(int parent, const char* name, Shut shut) {
  Fd fd(::openat(parent, name, kDirectoryFlags));
  std::optional<mode_t> restored;
  if (!fd.valid() && shut != Shut::kRefuse && errno == EACCES) {
    mode_t before = 0;
    fd = open_shut(parent, name, before);
    if (fd.valid()) restored = before;
  }
  if (!fd.valid()) {
    return fail(Error::system(std::string("cannot open the directory ") + name, errno));
  }
  OpenDir opened = INSTAR_TRY(adopt(std::move(fd), shut));
  if (shut == Shut::kPeek && restored) opened.stream_.get_deleter().restored = restored;
  return opened;
}

Result<OpenDir> OpenDir::open_held(int directory, Shut shut) {
  struct stat info {};
  // The top of a tree: its own mode must let us pass before it can be opened by itself.
  if (shut == Shut::kRefuse || ::geteuid() == 0 || ::fstat(directory, &info) != 0 ||
      (info.st_mode & kLook) == kLook) {
    return open_at(directory, ".", shut);
  }
  const mode_t before = info.st_mode & 07777;
  ::fchmod(directory, before | kLook);
  OpenDir opened = INSTAR_TRY(open_at(directory, ".", Shut::kRefuse));
  if (shut == Shut::kPeek) opened.stream_.get_deleter().restored = before;
  return opened;
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
    return usage.too_deep || usage.hidden || usage.bytes > most_bytes || usage.inodes > most_inodes;
  }

  /// What the program removes under our hands, or puts something else in place of, is not there.
  /// Anything else that keeps us out is its work as well: nobody else is in its tree.
  void missed(int error) {
    if (error != ENOENT && error != ENOTDIR && error != ELOOP) usage.hidden = true;
  }

  void walk(OpenDir& directory, unsigned depth) {
    while (!passed()) {
      const auto next = directory.next();
      if (!next) return missed(next.error().sys_errno);
      if (*next == nullptr) return;
      count(directory, (*next)->d_name, depth);
    }
  }

  void count(const OpenDir& directory, const char* name, unsigned depth) {
    struct stat info {};
    if (::fstatat(directory.fd(), name, &info, AT_SYMLINK_NOFOLLOW) != 0) return missed(errno);
    ++usage.inodes;
    const auto links = info.st_nlink == 0 || S_ISDIR(info.st_mode) ? 1 : info.st_nlink;
    usage.bytes += static_cast<std::uint64_t>(info.st_blocks) * 512 / links;
    if (!S_ISDIR(info.st_mode)) return;
    if (depth + 1 >= kDeepestTree) {
      usage.too_deep = true;
      return;
    }
    auto below = OpenDir::open_at(directory.fd(), name, Shut::kPeek);
    if (!below) return missed(below.error().sys_errno);
    walk(*below, depth + 1);
  }
};

}  // namespace

TreeUsage measure_tree(int directory, std::uint64_t most_bytes, std::uint64_t most_inodes) {
  Measuring measuring{.usage = {}, .most_bytes = most_bytes, .most_inodes = most_inodes};
  auto top = OpenDir::open_held(directory, Shut::kPeek);
  if (top) {
    measuring.walk(*top, 0);
  } else {
    measuring.missed(top.error().sys_errno);
  }
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
      OpenDir directory = INSTAR_TRY(OpenDir::open_at(parent, name, Shut::kOpen));
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
