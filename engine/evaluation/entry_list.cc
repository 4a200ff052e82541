#include "engine/evaluation/entry_list.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/fd.h"
#include "base/text.h"
#include "isolation/beneath.h"
#include "isolation/tree_copy.h"
#include "isolation/tree_walk.h"

namespace instar::engine {

namespace {

using isolation::OpenDir;

/// As many as a copy of a tree may have.
constexpr std::size_t kMaxEntries = isolation::CopyOptions{}.most_entries;

/// A directory below a held one, through no link. An invalid descriptor: there is none.
Result<Fd> open_below(int root, const std::string& path) {
  if (path.empty()) return Fd(::fcntl(root, F_DUPFD_CLOEXEC, 0));
  auto opened = isolation::open_beneath(root, path, O_PATH | O_DIRECTORY);
  if (opened) return opened;
  const Error& error = opened.error();
  const bool link = error.code == ErrorCode::kRefused && error.sys_errno == 0;
  if (error.code == ErrorCode::kNotFound || link) return Fd();
  return fail(error);
}

bool is_directory(int parent, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat info {};
  return ::fstatat(parent, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

Result<void> walk(int parent, const char* name, const std::string& prefix, unsigned depth,
                  std::vector<std::string>& found) {
  if (depth > isolation::kDeepestTree) {
    return fail(ErrorCode::kRefused,
                "directories nest deeper than " + std::to_string(isolation::kDeepestTree));
  }
  OpenDir directory = INSTAR_TRY(OpenDir::open_at(parent, name));
  while (const dirent* entry = INSTAR_TRY(directory.next())) {
    std::string path = prefix.empty() ? entry->d_name : prefix + "/" + entry->d_name;
    if (is_directory(directory.fd(), *entry)) {
      INSTAR_CHECK(walk(directory.fd(), entry->d_name, path, depth + 1, found));
      continue;
    }
    if (found.size() == kMaxEntries) {
      return fail(ErrorCode::kRefused, "more than " + std::to_string(kMaxEntries) + " files");
    }
    found.push_back(std::move(path));
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> list_entries(int root, const std::string& directory) {
  std::vector<std::string> found;
  const Fd fd = INSTAR_TRY(open_below(root, directory));
  if (fd.valid()) INSTAR_CHECK(walk(fd.get(), ".", directory, 0, found));
  return found;
}

Result<void> remove_entry(int root, const std::string& path) {
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
