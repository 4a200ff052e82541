#include "isolation/tree_copy.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <map>
#include <utility>

#include "base/text.h"
#include "isolation/tree_walk.h"

namespace instar::isolation {

namespace {

Error at(const char* doing, const char* name, int err) {
  return Error::system(std::string(doing) + " " + name, err);
}

class Copier {
 public:
  Copier(int top, const CopyOptions& options) : top_(top), options_(options) {}

  Result<void> copy_directory(OpenDir& from, int to, unsigned depth) {
    while (const dirent* entry = INSTAR_TRY(from.next())) {
      const std::string name = entry->d_name;
      if (name == ".git") continue;
      struct stat info {};
      if (::fstatat(from.fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return fail(at("cannot stat", name.c_str(), errno));
      }
      if (options_.only_of && info.st_uid != *options_.only_of) continue;
      if (++entries_ > options_.most_entries) {
        return fail(ErrorCode::kInvalidInput,
                    "the tree has more than " + std::to_string(options_.most_entries) + " entries");
      }
      INSTAR_CHECK(copy_entry(from.fd(), to, name.c_str(), info, depth));
    }
    return {};
  }

 private:
  Result<void> copy_entry(int from, int to, const char* name, const struct stat& info,
                          unsigned depth) {
    if (S_ISREG(info.st_mode)) return copy_file(from, to, name, info);
    if (S_ISLNK(info.st_mode)) return copy_symlink(from, to, name);
    if (!S_ISDIR(info.st_mode)) return {};
    if (depth + 1 >= kDeepestTree) {
      return fail(ErrorCode::kInvalidInput, "the tree is nested deeper than " +
                                                std::to_string(kDeepestTree) + " directories");
    }
    OpenDir below =
        INSTAR_TRY(OpenDir::open_at(from, name, options_.only_of ? Shut::kPeek : Shut::kRefuse));
    if (::mkdirat(to, name, 0700) != 0) return fail(at("cannot create", name, errno));
    const Fd copy(::openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!copy.valid()) return fail(at("cannot open", name, errno));
    const std::size_t above = path_.size();
    path_.append(name).push_back('/');
    INSTAR_CHECK(copy_directory(below, copy.get(), depth + 1));
    path_.resize(above);
    return finish(copy.get(), name, info);
  }

  /// Wherever it leads: a link is only text, which nobody follows here, and what a cell reaches
  /// through it is up to the cell's guards. A build that links to a tool of the host is honest.
  Result<void> copy_symlink(int from, int to, const char* name) {
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlinkat(from, name, target.data(), target.size() - 1);
    if (length < 0) return fail(at("cannot read the symlink", name, errno));
    const std::string text(target.data(), static_cast<std::size_t>(length));
    if (::symlinkat(text.c_str(), to, name) != 0) {
      return fail(at("cannot create the symlink", name, errno));
    }
    if (options_.owner && ::fchownat(to, name, options_.owner->user, options_.owner->group,
                                     AT_SYMLINK_NOFOLLOW) != 0) {
      return fail(at("cannot give away", name, errno));
    }
    return {};
  }

  /// O_NONBLOCK: between the look and the open nothing of the cell lives, but a lease left by a
  /// process that is still dying must not hold us.
  static Fd open_source(int from, const char* name, const struct stat& info) {
    constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    Fd source(::openat(from, name, kFlags));
    if (source.valid() || errno != EACCES || info.st_uid != ::geteuid()) return source;
    // A file of ours that its mode shuts even for us: opened for a moment, then shut again.
    if (::fchmodat(from, name, (info.st_mode & 0777) | S_IRUSR, 0) != 0) return source;
    source = Fd(::openat(from, name, kFlags));
    ::fchmodat(from, name, info.st_mode & 0777, 0);
    return source;
  }

  Result<void> copy_file(int from, int to, const char* name, const struct stat& looked) {
    const Fd source = open_source(from, name, looked);
    if (!source.valid()) return fail(at("cannot open", name, errno));
    struct stat info {};
    if (::fstat(source.get(), &info) != 0) return fail(at("cannot stat", name, errno));
    if (!S_ISREG(info.st_mode)) return {};
    if (linked(info, to, name)) return {};
    const Fd copy(::openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!copy.valid()) return fail(at("cannot create", name, errno));
    if (info.st_size > 0) INSTAR_CHECK(copy_content(source.get(), copy.get(), info, name));
    return finish(copy.get(), name, info);
  }

  /// Many names of one file are many names of one copy: as files of their own they would take the
  /// disk many times over. True when the copy has its further name.
  bool linked(const struct stat& info, int to, const char* name) {
    if (info.st_nlink < 2) return false;
    const std::string path = path_ + name;
    if (path.size() >= PATH_MAX) return false;
    const auto [first, is_new] = first_names_.try_emplace({info.st_dev, info.st_ino}, path);
    return !is_new && ::linkat(top_, first->second.c_str(), to, name, 0) == 0;
  }

  Result<void> copy_content(int from, int to, const struct stat& info, const char* name) {
    if (clone_works_) {
      if (::ioctl(to, FICLONE, from) == 0) return {};
      clone_works_ = false;  // the answer is the same for every file of the two file systems
    }
    // Only data is copied: a sparse file of a hostile program does not fill the disk.
    off_t position = 0;
    while (position < info.st_size) {
      off_t start = 0;
      off_t end = info.st_size;
      const bool may_have_holes = info.st_blocks * 512 < info.st_size;
      if (may_have_holes) {
        start = ::lseek(from, position, SEEK_DATA);
        if (start < 0) break;
        end = ::lseek(from, start, SEEK_HOLE);
        if (end < 0) end = info.st_size;
      }
      INSTAR_CHECK(copy_range(from, to, start, end - start, name));
      position = end;
    }
    if (::ftruncate(to, info.st_size) != 0) return fail(at("cannot size", name, errno));
    return {};
  }

  Result<void> copy_range(int from, int to, off_t position, off_t length, const char* name) {
    bytes_ += static_cast<std::uint64_t>(length);
    if (bytes_ > options_.most_bytes) {
      return fail(ErrorCode::kInvalidInput,
                  "the tree has more than " + std::to_string(options_.most_bytes) + " bytes");
    }
    while (length > 0) {
      const auto want =
          static_cast<std::size_t>(std::min(length, static_cast<off_t>(buffer_.size())));
      const ssize_t got = ::pread(from, buffer_.data(), want, position);
      if (got < 0) return fail(at("cannot read", name, errno));
      if (got == 0) return {};
      ssize_t written = 0;
      while (written < got) {
        const ssize_t now = ::pwrite(to, buffer_.data() + written,
                                     static_cast<std::size_t>(got - written), position + written);
        if (now < 0) return fail(at("cannot write", name, errno));
        written += now;
      }
      position += got;
      length -= got;
    }
    return {};
  }

  Result<void> finish(int copy, const char* name, const struct stat& info) {
    if (options_.owner && ::fchown(copy, options_.owner->user, options_.owner->group) != 0) {
      return fail(at("cannot give away", name, errno));
    }
    const timespec times[2] = {info.st_mtim, info.st_mtim};
    // What comes from the base must be usable by its new owner; set-id bits never travel.
    const mode_t mode = options_.only_of ? info.st_mode & 0777
                                         : (info.st_mode & 0777) | S_IRUSR | S_IWUSR |
                                               (S_ISDIR(info.st_mode) ? S_IXUSR : 0U);
    if (::fchmod(copy, mode) != 0 || ::futimens(copy, times) != 0) {
      return fail(at("cannot finish", name, errno));
    }
    return {};
  }

  int top_;
  CopyOptions options_;
  std::string path_;  ///< of the directory that is copied, from the top, with a final `/` or empty
  std::map<std::pair<dev_t, ino_t>, std::string> first_names_;  ///< of files with several
  bool clone_works_ = true;
  std::uint64_t bytes_ = 0;
  std::uint64_t entries_ = 0;
  std::array<char, 128 * 1024> buffer_{};
};

/// The directory of `parts` below `root`, made where missing.
Result<Fd> open_parents(int root, const std::vector<std::string_view>& parts,
                        const std::optional<Owner>& owner) {
  Fd directory(::fcntl(root, F_DUPFD_CLOEXEC, 0));
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::string name(parts[i]);
    const bool made = ::mkdirat(directory.get(), name.c_str(), 0755) == 0;
    if (!made && errno != EEXIST) return fail(at("cannot create", name.c_str(), errno));
    Fd next(
        ::openat(directory.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next.valid()) return fail(at("cannot open the directory", name.c_str(), errno));
    if (made && owner && ::fchown(next.get(), owner->user, owner->group) != 0) {
      return fail(at("cannot give away", name.c_str(), errno));
    }
    directory = std::move(next);
  }
  return directory;
}

Result<void> write_change(int directory, const char* name, const FileChange& change,
                          const std::optional<Owner>& owner) {
  const Fd file(
      ::openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return fail(at("cannot create", change.path.c_str(), errno));
  INSTAR_CHECK(write_all(file.get(), *change.content, change.path));
  if (owner && ::fchown(file.get(), owner->user, owner->group) != 0) {
    return fail(at("cannot give away", change.path.c_str(), errno));
  }
  if (::fchmod(file.get(), change.executable ? 0755 : 0644) != 0) {
    return fail(at("cannot finish", change.path.c_str(), errno));
  }
  return {};
}

Result<void> apply_change(int root, const FileChange& change, const std::optional<Owner>& owner) {
  const auto parts = split(change.path, '/');
  for (const auto part : parts) {
    if (part.empty() || part == "." || part == ".." || part == ".git") {
      return fail(ErrorCode::kInvalidInput,
                  "the path of a change is not plain and relative: " + change.path);
    }
  }
  const std::string name(parts.back());
  if (change.content) {
    const Fd directory = INSTAR_TRY(open_parents(root, parts, owner));
    // A directory that the other changes emptied makes room as well; a full one stays, and is told.
    if (::unlinkat(directory.get(), name.c_str(), 0) != 0 && errno == EISDIR) {
      ::unlinkat(directory.get(), name.c_str(), AT_REMOVEDIR);
    }
    return write_change(directory.get(), name.c_str(), change, owner);
  }
  Fd directory(::fcntl(root, F_DUPFD_CLOEXEC, 0));
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    directory = Fd(::openat(directory.get(), std::string(parts[i]).c_str(),
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory.valid()) return {};  // absent already
  }
  if (::unlinkat(directory.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
    return fail(at("cannot remove", change.path.c_str(), errno));
  }
  return {};
}

}  // namespace

bool stays_inside(std::string_view target, unsigned depth) {
  if (target.empty() || target.front() == '/' || target.find('\0') != std::string_view::npos) {
    return false;
  }
  bool descended = false;
  unsigned level = depth;
  for (const auto part : split(target, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (descended || level == 0) return false;
      --level;
    } else {
      descended = true;
    }
  }
  return true;
}

Result<void> copy_tree(int from, int to, const CopyOptions& options) {
  OpenDir top = INSTAR_TRY(OpenDir::open_held(from, Shut::kRefuse));
  return Copier(to, options).copy_directory(top, to, 0);
}

Result<void> apply_changes(int root, const std::vector<FileChange>& changes,
                           const std::optional<Owner>& owner) {
  // What goes away first: a file may make room for a directory of its name.
  for (const FileChange& change : changes) {
    if (!change.content) INSTAR_CHECK(apply_change(root, change, owner));
  }
  for (const FileChange& change : changes) {
    if (change.content) INSTAR_CHECK(apply_change(root, change, owner));
  }
  return {};
}

}  // namespace instar::isolation
