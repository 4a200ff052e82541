#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace instar::isolation {

/// A detached copy of what is mounted at `path`, with everything mounted below it.
Result<Fd> clone_mount(const std::string& path);

/// Changes attributes (MOUNT_ATTR_*) of a mount and of all below it.
Result<void> set_mount_attributes(int mount, std::uint64_t attributes);

/// Puts a detached mount at an existing path.
Result<void> attach_mount(int mount, const std::string& path);

/// A file system of its own at `path`: nosuid, nodev; `options` as mount(8) takes them.
Result<void> mount_new(const char* type, const std::string& path, const std::string& options);

/// Shows at `to` what is at `from` within the same file system tree.
Result<void> bind_mount(const std::string& from, const std::string& to);

/// Moves a mount with all below it.
Result<void> move_mount(const std::string& from, const std::string& to);

/// Lets go of a mount and of all below it, whoever still uses it.
Result<void> detach_mount(const std::string& path);

}  // namespace instar::isolation
