#include "checkpoints/git_layout.h"

#include "base/text.h"

namespace instar::checkpoints {

namespace fs = std::filesystem;

namespace {

/// What `path` is, links not followed; a missing one is file_type::not_found.
Result<fs::file_type> type_of(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  if (type == fs::file_type::none) {
    return fail(Error::system("cannot stat " + path.string(), error.value()));
  }
  return type;
}

Result<void> refuse(const fs::path& path, const char* wanted) {
  return fail(ErrorCode::kIntegrity,
              "'" + escape_for_terminal(path.string()) + "' is not a plain " + wanted,
              "nothing that git or instar makes there is a link or a special file: look at what it "
              "is, and take it away");
}

Result<void> check_directory(const fs::path& path) {
  const auto type = INSTAR_TRY(type_of(path));
  if (type == fs::file_type::directory || type == fs::file_type::not_found) return {};
  return refuse(path, "directory");
}

Result<void> check_file(const fs::path& path) {
  const auto type = INSTAR_TRY(type_of(path));
  if (type == fs::file_type::regular || type == fs::file_type::not_found) return {};
  return refuse(path, "file");
}

bool is_plain(fs::file_type type) {
  return type == fs::file_type::directory || type == fs::file_type::regular ||
         type == fs::file_type::not_found;
}

/// Every entry below `root`: directories and regular files only. Costs the names, no content.
Result<void> check_below(const fs::path& root) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(root, error), end; !error && at != end;
       at.increment(error)) {
    const auto type = INSTAR_TRY(type_of(at->path()));
    // Gone since it was listed: another run's engine moves its refs through lock files.
    if (!is_plain(type)) return refuse(at->path(), "file or directory");
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail(Error::system("cannot list " + root.string(), error.value()));
  }
  return {};
}

/// The entries of one directory. Of objects, the fan-out directories, into which an object of ours
/// goes; of packs, what git opens at once.
Result<void> check_entries(const fs::path& directory) {
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const auto type = INSTAR_TRY(type_of(at->path()));
    if (!is_plain(type)) return refuse(at->path(), "file or directory");
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail(Error::system("cannot list " + directory.string(), error.value()));
  }
  return {};
}

}  // namespace

Result<void> check_git_layout(const fs::path& git_dir, const fs::path& common_dir) {
  for (const char* name : {"refs", "refs/instar", "instar", "instar/runs", "objects",
                           "objects/pack", "logs", "logs/refs", "logs/refs/instar"}) {
    INSTAR_CHECK(check_directory(common_dir / name));
  }
  for (const char* name : {"packed-refs", "objects/info/alternates"}) {
    INSTAR_CHECK(check_file(common_dir / name));
  }
  INSTAR_CHECK(check_entries(common_dir / "objects"));
  INSTAR_CHECK(check_entries(common_dir / "objects" / "pack"));
  INSTAR_CHECK(check_file(git_dir / "index"));
  INSTAR_CHECK(check_below(common_dir / "refs" / "instar"));
  // A log that is there is appended to when its ref moves.
  INSTAR_CHECK(check_below(common_dir / "logs" / "refs" / "instar"));
  return check_below(common_dir / "instar" / "runs");
}

}  // namespace instar::checkpoints
