#include "engine/evaluation/entry_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

#include "base/fd.h"
#include "base/text.h"

namespace instar::engine {

namespace {

constexpr int kMaxDepth = 128;
constexpr std::size_t kMaxEntries = 200'000;
constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// Opens `path` below `root` one component at a time, so that no component can be a link. An
/// invalid descriptor: it is not there, or not a directory.
Result<Fd> open_below(const std::filesystem::path& root, std::string_view path) {
  Fd at = INSTAR_TRY(open_file(root, O_RDONLY | O_DIRECTORY));
  if (path.empty()) return at;
  for (const std::string_view part : split(path, '/')) {
    Fd next(::openat(at.get(), std::string(part).c_str(), kDirectory));
    if (!next.valid()) {
      if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return Fd();
      return fail(Error::system("cannot read the directory " + escape_for_terminal(path), errno));
    }
    at = std::move(next);
  }
  return at;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

bool is_directory(int parent, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat info {};
  return ::fstatat(parent, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

Result<void> walk(Fd fd, const std::string& prefix, int depth, std::vector<std::string>& found) {
  if (depth > kMaxDepth) {
    return fail(ErrorCode::kRefused, "directories nest deeper than " + std::to_string(kMaxDepth));
  }
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(fd.get()));
  if (!directory) return fail(Error::system("cannot read a directory of the workspace", errno));
  fd.release();  // now the stream's
  const int at = ::dirfd(directory.get());
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    std::string path = prefix.empty() ? std::string(name) : prefix + "/" + std::string(name);
    if (is_directory(at, *entry)) {
      Fd below(::openat(at, entry->d_name, kDirectory));
      if (!below.valid()) {
        return fail(Error::system("cannot read the directory " + escape_for_terminal(path), errno));
      }
      INSTAR_CHECK(walk(std::move(below), path, depth + 1, found));
      continue;
    }
    if (found.size() == kMaxEntries) {
      return fail(ErrorCode::kRefused, "more than " + std::to_string(kMaxEntries) + " files");
    }
    found.push_back(std::move(path));
  }
  if (errno != 0) return fail(Error::system("cannot read a directory of the workspace", errno));
  return {};
}

}  // namespace

Result<std::vector<std::string>> list_entries(const std::filesystem::path& root,
                                              const std::string& directory) {
  std::vector<std::string> found;
  Fd fd = INSTAR_TRY(open_below(root, directory));
  if (fd.valid()) INSTAR_CHECK(walk(std::move(fd), directory, 0, found));
  return found;
}

Result<void> remove_entry(const std::filesystem::path& root, const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string parent = slash == std::string::npos ? std::string() : path.substr(0, slash);
  const Fd fd = INSTAR_TRY(open_below(root, parent));
  if (!fd.valid()) return {};
  const std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  if (::unlinkat(fd.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
    return fail(Error::system("cannot remove " + escape_for_terminal(path), errno));
  }
  return {};
}

}  // namespace instar::engine
