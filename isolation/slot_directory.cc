#include "isolation/slot_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "isolation/tree_walk.h"

namespace instar::isolation {

namespace {

/// Creates and opens a directory; mode and owner are set explicitly, whatever the umask is.
Result<Fd> make_directory(int parent, const char* name, mode_t mode, uid_t user, gid_t group) {
  if (::mkdirat(parent, name, 0700) != 0) {
    return fail(Error::system(std::string("cannot create the directory ") + name, errno));
  }
  Fd fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid() || ::fchown(fd.get(), user, group) != 0 || ::fchmod(fd.get(), mode) != 0) {
    return fail(Error::system(std::string("cannot prepare the directory ") + name, errno));
  }
  return fd;
}

constexpr mode_t kPrivate = 0700;
constexpr mode_t kPassable = 0710;
constexpr uid_t kKeepUser = static_cast<uid_t>(-1);
constexpr gid_t kKeepGroup = static_cast<gid_t>(-1);

}  // namespace

Result<OwnedDirectory> OwnedDirectory::create(int parent, const std::filesystem::path& parent_path,
                                              const std::string& name,
                                              const std::optional<Owner>& owner) {
  Fd above(::fcntl(parent, F_DUPFD_CLOEXEC, 0));
  if (!above.valid()) return fail(Error::system("cannot hold a directory", errno));
  Fd made = INSTAR_TRY(make_directory(parent, name.c_str(), owner ? kPassable : kPrivate, kKeepUser,
                                      owner ? owner->group : kKeepGroup));
  return OwnedDirectory(parent_path / name, std::move(above), std::move(made), owner.has_value());
}

Result<void> OwnedDirectory::set_open(bool open) const {
  const bool above = has_owner_ || ::fchmod(parent_.get(), kPrivate) == 0;
  if (above && ::fchmod(directory_.get(), open && has_owner_ ? kPassable : kPrivate) == 0) {
    return {};
  }
  return fail(Error::system("cannot set the mode of " + path_.string(), errno));
}

OwnedDirectory::~OwnedDirectory() {
  // Nobody can be told here; what stays goes with the scratch directory, at the latest when the
  // next engine sweeps it.
  if (directory_.valid()) (void)remove_tree_at(parent_.get(), path_.filename().c_str());
}

Result<Fd> OwnedDirectory::make_private(const char* name, const std::optional<Owner>& owner) const {
  return make_directory(directory_.get(), name, kPrivate, owner ? owner->user : kKeepUser,
                        owner ? owner->group : kKeepGroup);
}

}  // namespace instar::isolation
