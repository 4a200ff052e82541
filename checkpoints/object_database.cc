#include "checkpoints/object_database.h"

#include <git2.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/sha256.h"
#include "base/text.h"

namespace instar::checkpoints {

namespace {

git_object_t type_of(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::kBlob:
      return GIT_OBJECT_BLOB;
    case ObjectKind::kTree:
      return GIT_OBJECT_TREE;
    case ObjectKind::kCommit:
      return GIT_OBJECT_COMMIT;
  }
  return GIT_OBJECT_INVALID;
}

/// The largest object that is read into memory: a few bytes of a hostile repository can stand for
/// gigabytes.
std::size_t largest(ObjectKind kind) { return (kind == ObjectKind::kBlob ? 512UL : 64UL) << 20; }

std::string describe(ObjectKind kind, const RawId& id) {
  return std::string(git_object_type2string(type_of(kind))) + " " +
         to_hex({reinterpret_cast<const char*>(id.data()), id.size()});
}

}  // namespace

Result<ObjectDatabase> ObjectDatabase::open(git_repository& repository, bool partial) {
  git_odb* raw = nullptr;
  if (git_repository_odb(&raw, &repository) != 0) {
    return fail(last_git_error(ErrorCode::kIo, "cannot open the object store"));
  }
  return ObjectDatabase(GitPtr<git_odb>(raw),
                        std::string(git_repository_commondir(&repository)) + "objects/", partial);
}

Result<void> ObjectDatabase::check_loose(const RawId& id) const {
  const std::string hex = to_hex({reinterpret_cast<const char*>(id.data()), id.size()});
  const std::string path = directory_ + hex.substr(0, 2) + "/" + hex.substr(2);
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return {};
  return fail(
      ErrorCode::kIntegrity, "'" + escape_for_terminal(path) + "' is not a plain file",
      "nothing that git makes there is anything else: look at what it is, and take it away");
}

Result<RawId> ObjectDatabase::name_of(ObjectKind kind, std::string_view bytes) {
  git_oid oid;
  if (git_odb_hash(&oid, bytes.data(), bytes.size(), type_of(kind)) != 0) {
    return fail(last_git_error(ErrorCode::kInternal, "cannot name an object"));
  }
  return from_oid(oid);
}

Result<std::string> ObjectDatabase::read(const RawId& id, ObjectKind kind) const {
  INSTAR_CHECK(check_loose(id));
  git_odb_object* raw = nullptr;
  const git_oid oid = to_oid(id);
  std::size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  int code = git_odb_read_header(&size, &type, odb_.get(), &oid);
  if (code == 0 && size > largest(kind)) {
    return fail(ErrorCode::kInvalidInput,
                describe(kind, id) + " has " + std::to_string(size >> 20) + " MiB, and at most " +
                    std::to_string(largest(kind) >> 20) + " MiB are read",
                "take the file out of the commit, or begin from a commit without it");
  }
  if (code == 0) code = git_odb_read(&raw, odb_.get(), &oid);
  if (code == GIT_ENOTFOUND) {
    return fail(ErrorCode::kNotFound, "there is no " + describe(kind, id) + " in the object store",
                partial_
                    ? "this is a partial clone; fetch everything: git fetch --refetch --no-filter"
                    : "`git fsck` shows what is missing");
  }
  if (code != 0) {
    return fail(last_git_error(ErrorCode::kIntegrity, "cannot read " + describe(kind, id),
                               "`git fsck` shows what is damaged"));
  }
  const GitPtr<git_odb_object> object(raw);
  if (git_odb_object_type(raw) != type_of(kind)) {
    return fail(ErrorCode::kIntegrity, describe(kind, id) + " is an object of another kind");
  }
  return std::string(static_cast<const char*>(git_odb_object_data(raw)), git_odb_object_size(raw));
}

bool ObjectDatabase::contains(const RawId& id) const {
  const git_oid oid = to_oid(id);
  return git_odb_exists(odb_.get(), &oid) == 1;
}

Result<RawId> ObjectDatabase::write(ObjectKind kind, std::string_view bytes) const {
  git_oid oid;
  errno = 0;
  if (git_odb_write(&oid, odb_.get(), bytes.data(), bytes.size(), type_of(kind)) != 0) {
    Error error = last_git_error(ErrorCode::kIo, "cannot write to the target's object store",
                                 "see that the git directory is writable and its disk not full");
    return fail(std::move(error));
  }
  return from_oid(oid);
}

}  // namespace instar::checkpoints
