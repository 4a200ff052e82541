#include "checkpoints/git_handle.h"

#include <git2.h>

#include <algorithm>
#include <cerrno>

namespace instar::checkpoints {

void GitFree::operator()(git_config* handle) const { git_config_free(handle); }
void GitFree::operator()(git_object* handle) const { git_object_free(handle); }
void GitFree::operator()(git_odb* handle) const { git_odb_free(handle); }
void GitFree::operator()(git_odb_object* handle) const { git_odb_object_free(handle); }
void GitFree::operator()(git_patch* handle) const { git_patch_free(handle); }
void GitFree::operator()(git_reference* handle) const { git_reference_free(handle); }
void GitFree::operator()(git_reference_iterator* handle) const {
  git_reference_iterator_free(handle);
}
void GitFree::operator()(git_repository* handle) const { git_repository_free(handle); }
void GitFree::operator()(git_transaction* handle) const { git_transaction_free(handle); }
void GitFree::operator()(git_tree* handle) const { git_tree_free(handle); }

git_oid to_oid(const RawId& id) {
  git_oid oid;
  std::ranges::copy(id, oid.id);
  return oid;
}

RawId from_oid(const git_oid& oid) {
  RawId id;
  std::copy_n(oid.id, id.size(), id.begin());
  return id;
}

Error last_git_error(ErrorCode code, const std::string& doing, const std::string& hint) {
  const int err = errno;
  const git_error* error = git_error_last();
  std::string message = doing;
  if (error != nullptr && error->message != nullptr) message += ": " + std::string(error->message);
  const bool system = error != nullptr && error->klass == GIT_ERROR_OS;
  return {.code = system ? ErrorCode::kIo : code,
          .message = std::move(message),
          .hint = hint,
          .sys_errno = system ? err : 0};
}

namespace {

Result<void> configure_git() {
  if (git_libgit2_init() < 0) {
    return fail(last_git_error(ErrorCode::kInternal, "cannot start libgit2"));
  }
  bool set = true;
  // A setting outside the target (an include, a proxy, a filter) must not change what a run does.
  for (const int level : {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM,
                          GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL}) {
    set = set && git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "") == 0;
  }
  // These extensions change nothing that we read, or are looked at by Repository::open itself.
  const char* known[] = {"objectformat", "partialclone", "preciousobjects", "refstorage",
                         "worktreeconfig"};
  set = set && git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, known, std::size(known)) == 0;
  set = set && git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 1) == 0;
  set = set && git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1) == 0;
  set = set && git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 1) == 0;
  if (!set) return fail(last_git_error(ErrorCode::kInternal, "cannot set libgit2's options"));
  return {};
}

}  // namespace

Result<void> start_git() {
  static const Result<void> started = configure_git();
  return started;
}

}  // namespace instar::checkpoints
