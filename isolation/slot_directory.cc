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

constexpr uid_t kKeepUser = static_cast<uid_t>(-1);
constexpr gid_t kKeepGroup = static_cast<gid_t>(-1);

}  // namespace

Result<OwnedDirectory> OwnedDirectory::create(int parent, const std::filesystem::path& parent_path,
                                              const std::string& name,
                                              const std::optional<Owner>& owner) {
  Fd above(::fcntl(parent, F_DUPFD_CLOEXEC, 0));
  if (!above.valid()) return fail(Error::system("cannot hold a directory", errno));
  Fd made = INSTAR_TRY(make_directory(parent, name.c_str(), owner ? 0710 : 0700, kKeepUser,
                                      owner ? owner->group : kKeepGroup));
  return OwnedDirectory(parent_path / name, std::move(above), std::move(made));
}

OwnedDirectory::~OwnedDirectory() {
  // Nobody can be told here; what stays goes with the scratch directory, at the latest when the
  // next engine sweeps it.
  if (directory_.valid()) (void)remove_tree_at(parent_.get(), path_.filename().c_str());
}

Result<Fd> OwnedDirectory::make_private(const char* name, const std::optional<Owner>& owner) const {
  return make_directory(directory_.get(), name, 0700, owner ? owner->user : kKeepUser,
                        owner ? owner->group : kKeepGroup);
}

}  // namespace instar::isolation
