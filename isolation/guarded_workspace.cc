#include "isolation/guarded_workspace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "isolation/guard_control.h"
#include "isolation/tree_copy.h"

namespace instar::isolation {

Result<std::unique_ptr<GuardedWorkspace>> GuardedWorkspace::create_empty(
    const std::shared_ptr<SlotHome>& home) {
  OwnedDirectory directory = INSTAR_TRY(OwnedDirectory::create(
      home->directory.fd(), home->directory.path(), home->fresh_name("w"), home->owner));
  Fd files = INSTAR_TRY(directory.make_private("work", home->owner));
  INSTAR_CHECK(directory.set_open(guard_off(Guard::kWorkspaceShut)));
  return std::unique_ptr<GuardedWorkspace>(
      new GuardedWorkspace(home, std::move(directory), std::move(files)));
}

Result<std::unique_ptr<GuardedWorkspace>> GuardedWorkspace::create(
    const std::shared_ptr<SlotHome>& home, const WorkspaceSpec& spec) {
  auto made = INSTAR_TRY(create_empty(home));
  if (!spec.base.empty()) {
    const CopyOptions options{.owner = home->owner, .only_of = {}};
    const Fd base = INSTAR_TRY(open_file(spec.base, O_RDONLY | O_DIRECTORY));
    if (auto copied = copy_tree(base.get(), made->files_.get(), options); !copied) {
      return fail(copied.error().while_doing("copying " + spec.base.string()));
    }
  }
  if (auto laid = apply_changes(made->files_.get(), spec.changes, home->owner); !laid) {
    return fail(laid.error().while_doing("laying the changes over the copy"));
  }
  return made;
}

Result<std::unique_ptr<Workspace>> GuardedWorkspace::snapshot(const Limits& limits) {
  auto made = INSTAR_TRY(create_empty(home_));
  const CopyOptions options{.owner = home_->owner,
                            .only_of = home_->owner ? home_->owner->user : ::geteuid(),
                            .most_bytes = limits.workspace_bytes,
                            .most_entries = limits.inodes};
  auto copied = copy_tree(files_.get(), made->files_.get(), options);
  if (copied) return std::unique_ptr<Workspace>(std::move(made));
  Error error = copied.error().while_doing("copying the workspace");
  // Ours to read but for what the command did to it.
  const bool shut = error.sys_errno == EACCES || error.sys_errno == EPERM ||
                    error.sys_errno == ENAMETOOLONG || error.sys_errno == ELOOP;
  if (shut || error.code == ErrorCode::kInvalidInput) error.code = ErrorCode::kRefused;
  return fail(std::move(error));
}

Result<void> GuardedWorkspace::set_open(bool open) const {
  INSTAR_CHECK(home_->directory.set_open(true));
  INSTAR_CHECK(directory_.set_open(open || guard_off(Guard::kWorkspaceShut)));
  if (::fchmod(files_.get(), 0700) == 0) return {};
  return fail(Error::system("cannot open the workspace", errno));
}

}  // namespace instar::isolation
