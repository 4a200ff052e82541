#include "checkpoints/repository.h"

#include <fcntl.h>
#include <git2.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/files.h"
#include "base/text.h"
#include "checkpoints/git_layout.h"

namespace instar::checkpoints {

namespace fs = std::filesystem;

namespace {

std::string shown(const fs::path& path) { return "'" + escape_for_terminal(path.string()) + "'"; }

/// A path as libgit2 gives it, without the slash at its end.
fs::path directory_path(const char* text) {
  std::string path = text == nullptr ? "" : text;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

/// Whether there is a repository after all. With every user's configuration out of sight, libgit2
/// also says "not found" for one of another owner: it looks for `safe.directory` and finds no file
/// to look in.
bool is_discoverable(const fs::path& directory) {
  git_buf found = GIT_BUF_INIT;
  const bool there = git_repository_discover(&found, directory.c_str(), 0, nullptr) == 0;
  git_buf_dispose(&found);
  return there;
}

/// Whether something is there that this user may not look into.
bool is_closed(const fs::path& directory) {
  return ::faccessat(AT_FDCWD, directory.c_str(), R_OK | X_OK, AT_EACCESS) != 0 && errno == EACCES;
}

Error closed(const fs::path& directory) {
  return {.code = ErrorCode::kInvalidInput,
          .message = "cannot look into " + shown(directory) + ": permission denied",
          .hint = "run as its owner, or name another directory with -C"};
}

Error explain_failed_open(int code, const fs::path& directory) {
  const std::string where = shown(directory);
  for (const fs::path& part : {directory, directory / ".git"}) {
    if (is_closed(part)) return closed(part);
  }
  if (code == GIT_ENOTFOUND && is_discoverable(directory)) code = GIT_EOWNER;
  if (code == GIT_ENOTFOUND) {
    return {.code = ErrorCode::kInvalidInput,
            .message = where + " is not in a git repository",
            .hint = "run `git init` there and commit, or name another directory with -C"};
  }
  if (code == GIT_EOWNER) {
    return {.code = ErrorCode::kInvalidInput,
            .message = "the repository at " + where +
                       " belongs to another user, who could have planted settings in it",
            .hint = "run as its owner, or make it yours: chown -R \"$(id -un)\" on it"};
  }
  return last_git_error(ErrorCode::kInvalidInput, "cannot open the repository at " + where,
                        "`git -C DIR status` may say more");
}

/// The value of a configuration key in lower case, or empty.
std::string setting(git_config& config, const char* key) {
  const char* value = nullptr;
  if (git_config_get_string(&value, &config, key) != 0 || value == nullptr) return {};
  std::string text = value;
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Whether a remote is asked for objects on demand. Not by a pattern: libgit2 leaks on each match.
bool has_promisor_remote(git_config& config) {
  bool found = false;
  git_config_foreach(
      &config,
      [](const git_config_entry* entry, void* out) {
        const std::string_view name = entry->name;
        const bool promises = (name.starts_with("remote.") && name.ends_with(".promisor")) ||
                              name == "extensions.partialclone";
        const bool denied = entry->value != nullptr && std::string_view(entry->value) == "false";
        if (promises && !denied) *static_cast<bool*>(out) = true;
        return 0;
      },
      &found);
  return found;
}

Result<void> check_format(git_config& config, const std::string& where) {
  const std::string objects = setting(config, "extensions.objectformat");
  if (!objects.empty() && objects != "sha1") {
    return fail(ErrorCode::kInvalidInput,
                "the repository at " + where + " names its objects by " +
                    escape_for_terminal(objects) + ", and checkpoints are written by SHA-1 only",
                "copy its history into one that does: `git init --object-format=sha1 NEW && git "
                "fast-export --all --signed-tags=strip | git -C NEW fast-import`, then `git -C NEW "
                "checkout -f BRANCH`");
  }
  const std::string refs = setting(config, "extensions.refstorage");
  if (!refs.empty() && refs != "files") {
    return fail(ErrorCode::kInvalidInput,
                "the repository at " + where + " keeps its refs as '" + escape_for_terminal(refs) +
                    "', which is not supported",
                "`git refs migrate --ref-format=files` converts it");
  }
  return {};
}

/// A linked worktree is one that the repository it names knows of: otherwise a directory that comes
/// from anywhere could have its runs written into any repository of the user.
Result<void> check_worktree(const fs::path& git_dir, const Repository& repository,
                            const std::string& where) {
  std::error_code error;
  if (fs::equivalent(git_dir, repository.common_dir(), error)) return {};
  const auto named = read_file(git_dir / "gitdir", 4096);
  const fs::path own = repository.work_tree() / ".git";
  if (named && !fs::is_directory(own, error) &&
      fs::equivalent(fs::path(std::string(trim(*named))), own, error)) {
    return {};
  }
  return fail(ErrorCode::kInvalidInput,
              "the git directory of " + where + " names another repository, " +
                  shown(repository.common_dir()) + ", which does not know it",
              "if it is a worktree that was moved, `git worktree repair` run in it mends that");
}

}  // namespace

Repository::Repository(GitPtr<git_repository> handle)
    : handle_(std::move(handle)),
      work_tree_(directory_path(git_repository_workdir(handle_.get()))),
      common_dir_(directory_path(git_repository_commondir(handle_.get()))) {}

Result<Repository> Repository::open(const fs::path& directory) {
  INSTAR_CHECK(start_git());
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    if (error == std::errc::permission_denied) return fail(closed(directory));
    return fail(ErrorCode::kInvalidInput, shown(directory) + " is not a directory",
                "name the directory of a git repository with -C");
  }
  git_repository* raw = nullptr;
  const int code = git_repository_open_ext(&raw, directory.c_str(), 0, nullptr);
  if (code != 0) return fail(explain_failed_open(code, directory));
  GitPtr<git_repository> handle(raw);
  const std::string where = shown(directory);
  git_config* raw_config = nullptr;
  if (git_repository_config_snapshot(&raw_config, raw) != 0) {
    return fail(last_git_error(ErrorCode::kInvalidInput, "cannot read the settings of " + where));
  }
  const GitPtr<git_config> config(raw_config);
  INSTAR_CHECK(check_format(*config, where));
  if (git_repository_is_bare(raw) == 1) {
    return fail(ErrorCode::kInvalidInput,
                "the repository at " + where + " is bare: it has no working tree",
                "clone it and use the clone");
  }
  Repository repository(std::move(handle));
  repository.partial_ = has_promisor_remote(*config);
  const fs::path git_dir = directory_path(git_repository_path(raw));
  INSTAR_CHECK(check_worktree(git_dir, repository, where));
  INSTAR_CHECK(check_git_layout(git_dir, repository.common_dir_));
  return repository;
}

namespace {

struct MissingObject {
  git_odb* odb;
  std::string path;  ///< of the first object that is not here
};

int stop_at_missing(const char* root, const git_tree_entry* entry, void* payload) {
  auto& missing = *static_cast<MissingObject*>(payload);
  if (git_tree_entry_type(entry) == GIT_OBJECT_COMMIT) return 0;
  if (git_odb_exists_ext(missing.odb, git_tree_entry_id(entry), GIT_ODB_LOOKUP_NO_REFRESH) == 1) {
    return 0;
  }
  missing.path = std::string(root) + git_tree_entry_name(entry);
  return -1;
}

/// A partial clone may lack files of the commit; git would fetch them, and we use no network.
Result<void> check_complete(git_repository& repository, git_tree& tree) {
  git_odb* raw = nullptr;
  if (git_repository_odb(&raw, &repository) != 0) {
    return fail(last_git_error(ErrorCode::kInvalidInput, "cannot open the object store"));
  }
  const GitPtr<git_odb> odb(raw);
  MissingObject missing{.odb = raw, .path = {}};
  if (git_tree_walk(&tree, GIT_TREEWALK_PRE, stop_at_missing, &missing) == 0) return {};
  const std::string what =
      missing.path.empty() ? "objects" : "'" + escape_for_terminal(missing.path) + "'";
  return fail(ErrorCode::kInvalidInput,
              "this is a partial clone and " + what + " of the base commit is not in it",
              "fetch everything: git fetch --refetch --no-filter");
}

}  // namespace

Result<Snapshot> Repository::snapshot_of(git_object& named, const std::string& what) const {
  git_object* raw = nullptr;
  if (git_object_peel(&raw, &named, GIT_OBJECT_COMMIT) != 0) {
    return fail(ErrorCode::kInvalidInput, what + " does not name a commit",
                "name a commit, a branch or a tag");
  }
  const GitPtr<git_object> peeled(raw);
  auto* commit = reinterpret_cast<git_commit*>(raw);
  git_tree* raw_tree = nullptr;
  if (git_commit_tree(&raw_tree, commit) != 0) {
    return fail(last_git_error(ErrorCode::kInvalidInput, "cannot read the tree of " + what,
                               "`git fsck` shows what is damaged"));
  }
  const GitPtr<git_tree> tree(raw_tree);
  if (partial_) INSTAR_CHECK(check_complete(*handle_, *tree));
  return Snapshot{.commit = {from_oid(*git_commit_id(commit))},
                  .tree = {from_oid(*git_tree_id(raw_tree))}};
}

Result<Snapshot> Repository::head() const {
  if (git_repository_head_unborn(handle_.get()) == 1) {
    return fail(ErrorCode::kInvalidInput,
                "the repository at " + shown(work_tree_) + " has no commit yet",
                "commit the program first: a run starts from a commit");
  }
  return resolve("HEAD");
}

Result<Snapshot> Repository::resolve(const std::string& revision) const {
  const std::string what = "'" + escape_for_terminal(revision) + "'";
  git_object* raw = nullptr;
  const bool whole = revision.find('\0') == std::string::npos;
  if (!whole || git_revparse_single(&raw, handle_.get(), revision.c_str()) != 0) {
    return fail(ErrorCode::kInvalidInput, what + " names no commit of this repository",
                "name a commit, a branch or a tag that `git rev-parse` knows");
  }
  const GitPtr<git_object> named(raw);
  return snapshot_of(*named, what);
}

std::optional<std::string> Repository::branch() const {
  git_reference* raw = nullptr;
  if (git_repository_head(&raw, handle_.get()) != 0) return std::nullopt;
  const GitPtr<git_reference> head(raw);
  const char* name = nullptr;
  if (git_branch_name(&name, raw) != 0) return std::nullopt;
  return std::string(name);
}

Result<Uncommitted> Repository::uncommitted(std::string_view except) const {
  struct State {
    Uncommitted found;
    std::string_view except;
  } state{.found = {}, .except = except};
  git_status_options options;
  git_status_options_init(&options, GIT_STATUS_OPTIONS_VERSION);
  options.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
  options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_EXCLUDE_SUBMODULES;
  const int code = git_status_foreach_ext(
      handle_.get(), &options,
      [](const char* path, unsigned flags, void* payload) {
        auto& [found, left_out] = *static_cast<State*>(payload);
        if (path == left_out) return 0;
        constexpr unsigned kNotTracked = GIT_STATUS_WT_NEW | GIT_STATUS_IGNORED;
        if ((flags & GIT_STATUS_WT_NEW) != 0) found.untracked = true;
        if ((flags & ~kNotTracked) != 0) found.tracked = true;
        return 0;
      },
      &state);
  if (code != 0) {
    return fail(last_git_error(ErrorCode::kInvalidInput,
                               "cannot compare the working tree with HEAD",
                               "`git status` may say more"));
  }
  return state.found;
}

Result<std::vector<std::string>> Repository::not_in_head() const {
  git_status_options options;
  git_status_options_init(&options, GIT_STATUS_OPTIONS_VERSION);
  options.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
  options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_RECURSE_UNTRACKED_DIRS |
                  GIT_STATUS_OPT_INCLUDE_IGNORED | GIT_STATUS_OPT_RECURSE_IGNORED_DIRS |
                  GIT_STATUS_OPT_EXCLUDE_SUBMODULES;
  std::vector<std::string> paths;
  const int code = git_status_foreach_ext(
      handle_.get(), &options,
      [](const char* path, unsigned flags, void* payload) {
        constexpr unsigned kNew = GIT_STATUS_WT_NEW | GIT_STATUS_IGNORED | GIT_STATUS_INDEX_NEW;
        if ((flags & kNew) != 0) static_cast<std::vector<std::string>*>(payload)->push_back(path);
        return 0;
      },
      &paths);
  if (code != 0) {
    return fail(last_git_error(ErrorCode::kInvalidInput,
                               "cannot compare the working tree with HEAD",
                               "`git status` may say more"));
  }
  return paths;
}

}  // namespace instar::checkpoints
