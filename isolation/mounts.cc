#include "isolation/mounts.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace instar::isolation {

namespace {

tl::unexpected<Error> cannot(const std::string& what) {
  Error error = Error::system("cannot " + what, errno);
  error.code = ErrorCode::kHostCannot;
  return fail(std::move(error));
}

}  // namespace

Result<Fd> clone_mount(const std::string& path) {
  Fd mount(static_cast<int>(::syscall(SYS_open_tree, AT_FDCWD, path.c_str(),
                                      OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE)));
  if (!mount.valid()) return cannot("take a copy of the mount " + path);
  return mount;
}

Result<void> set_mount_attributes(int mount, std::uint64_t attributes) {
  mount_attr change{};
  change.attr_set = attributes;
  if (::syscall(SYS_mount_setattr, mount, "", AT_EMPTY_PATH | AT_RECURSIVE, &change,
                sizeof change) != 0) {
    return cannot("change the attributes of a mount");
  }
  return {};
}

Result<void> attach_mount(int mount, const std::string& path) {
  if (::syscall(SYS_move_mount, mount, "", AT_FDCWD, path.c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0) {
    return cannot("mount at " + path);
  }
  return {};
}

Result<void> mount_new(const char* type, const std::string& path, const std::string& options) {
  if (::mount(type, path.c_str(), type, MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    return cannot(std::string("mount ") + type + " at " + path);
  }
  return {};
}

Result<void> bind_mount(const std::string& from, const std::string& to) {
  if (::mount(from.c_str(), to.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    return cannot("mount " + from + " at " + to);
  }
  return {};
}

Result<void> move_mount(const std::string& from, const std::string& to) {
  if (::mount(from.c_str(), to.c_str(), nullptr, MS_MOVE, nullptr) != 0) {
    return cannot("move the mount " + from + " to " + to);
  }
  return {};
}

Result<void> detach_mount(const std::string& path) {
  if (::umount2(path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) != 0) return cannot("unmount " + path);
  return {};
}

}  // namespace instar::isolation
