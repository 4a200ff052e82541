#include "engine/evaluation/base_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fd.h"
#include "base/text.h"
#include "isolation/tree_copy.h"

namespace instar::engine {

namespace {

namespace fs = std::filesystem;
using checkpoints::FileMode;
using checkpoints::TreeEntry;

Result<void> check_name(const std::string& path) {
  const std::string shown = escape_for_terminal(path);
  if (path.find('\0') != std::string::npos) {
    return fail(ErrorCode::kInvalidInput, "the base has a path with a zero byte: " + shown);
  }
  bool first = true;
  for (const std::string_view part : split(path, '/')) {
    // git can store such names; writing one would leave the directory we write to.
    if (part.empty() || part == "." || part == "..") {
      return fail(ErrorCode::kInvalidInput, "the base has a path that leaves its tree: " + shown,
                  "repair the commit, or choose another one with --base");
    }
    if (first && part == kReservedDirectory) {
      return fail(ErrorCode::kInvalidInput,
                  "the base has " + shown + ", and " + std::string(kReservedDirectory) +
                      " is reserved for files of the evaluation",
                  "rename that directory in the target");
    }
    first = false;
  }
  return {};
}

Result<void> make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return fail(Error::system("cannot create " + path.string(), error.value()));
  return {};
}

Result<void> write_file(const fs::path& path, std::string_view bytes, bool executable) {
  // O_EXCL and O_NOFOLLOW: a damaged tree that names a path twice cannot redirect a write.
  const Fd fd = INSTAR_TRY(
      open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, executable ? 0755 : 0644));
  return write_all(fd.get(), bytes, path.string());
}

/// Directories above the entry.
unsigned depth_of(const std::string& path) {
  return static_cast<unsigned>(std::count(path.begin(), path.end(), '/'));
}

}  // namespace

Result<std::vector<std::string>> write_base_files(checkpoints::CheckpointStore& store,
                                                  const std::vector<TreeEntry>& base,
                                                  const fs::path& directory) {
  std::vector<std::string> left_out;
  std::vector<std::pair<fs::path, std::string>> links;
  for (const TreeEntry& entry : base) {
    INSTAR_CHECK(check_name(entry.path));
    const fs::path path = directory / entry.path;
    INSTAR_CHECK(make_directories(entry.mode == FileMode::kGitlink ? path : path.parent_path()));
    if (entry.mode == FileMode::kGitlink) continue;
    const std::string bytes = INSTAR_TRY(store.read(entry.blob));
    if (entry.mode != FileMode::kSymlink) {
      INSTAR_CHECK(write_file(path, bytes, entry.mode == FileMode::kExecutable));
    } else if (isolation::stays_inside(bytes, depth_of(entry.path))) {
      links.emplace_back(path, bytes);
    } else {
      left_out.push_back("left out: the symlink " + escape_for_terminal(entry.path) +
                         " may lead out of the tree (" + escape_for_terminal(bytes) + ")");
    }
  }
  // Last, so that no file above was written through one.
  for (const auto& [path, target] : links) {
    if (::symlink(target.c_str(), path.c_str()) != 0) {
      return fail(Error::system("cannot create the symlink " + path.string(), errno));
    }
  }
  return left_out;
}

}  // namespace instar::engine
