#include "isolation/layered_workspace.h"

#include <fcntl.h>

#include <atomic>
#include <utility>

#include "isolation/keeper.h"
#include "isolation/tree_copy.h"
#include "isolation/workspace_protocol.h"

namespace instar::isolation {

namespace {

std::uint64_t fresh_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

LayerLimits layer_limits(const Limits& limits) {
  return {.bytes = limits.workspace_bytes, .inodes = limits.inodes};
}

Error no_launcher() {
  return {.code = ErrorCode::kInternal,
          .message = "the launcher of the workspace has ended",
          .hint = {}};
}

}  // namespace

Result<std::string> SlotBases::copy_of(const WorkspaceSpec& spec) {
  const std::filesystem::path& base = spec.base;
  auto found = copies_.find(base);
  if (found == copies_.end()) {
    OwnedDirectory made = INSTAR_TRY(OwnedDirectory::create(
        home_->directory.fd(), home_->directory.path(), SlotHome::fresh_name("b"), home_->owner));
    const Fd files = INSTAR_TRY(made.make_private("files", home_->owner));
    const Fd from = INSTAR_TRY(open_file(base, O_RDONLY | O_DIRECTORY));
    const CopyOptions options{.owner = home_->owner, .only_of = {}};
    if (auto copied = copy_tree(from.get(), files.get(), options); !copied) {
      return fail(copied.error().while_doing("copying " + base.string()));
    }
    if (keeper_) INSTAR_CHECK(give_to_keeper(files.get(), spec.sealed, *keeper_));
    found = copies_.emplace(base, std::move(made)).first;
  }
  return home_->directory.path().filename().string() + "/" +
         found->second.path().filename().string() + "/files";
}

Result<std::unique_ptr<LayeredWorkspace>> LayeredWorkspace::create(
    const std::shared_ptr<LauncherLine>& line, SlotBases& bases, const WorkspaceSpec& spec) {
  const std::scoped_lock held(line->busy);
  if (line->socket < 0) return fail(no_launcher());
  WorkspaceOrder order{
      .kind = WorkspaceOrder::Kind::kOpen, .id = fresh_id(), .limits = layer_limits(spec.limits)};
  if (!spec.base.empty()) {
    const std::string base = INSTAR_TRY(bases.copy_of(spec));
    base.copy(order.base.data(), order.base.size() - 1);
  }
  Fd directory = INSTAR_TRY(ask_to_open(line->socket, order, spec.changes));
  return std::unique_ptr<LayeredWorkspace>(
      new LayeredWorkspace(line, order.id, std::move(directory)));
}

Result<std::unique_ptr<Workspace>> LayeredWorkspace::snapshot(const Limits& limits) {
  const std::scoped_lock held(line_->busy);
  if (line_->socket < 0) return fail(no_launcher());
  directory_.reset();
  const WorkspaceOrder order{.kind = WorkspaceOrder::Kind::kSnapshot,
                             .id = id_,
                             .copy = fresh_id(),
                             .limits = layer_limits(limits)};
  LayerStore::Pair pair = INSTAR_TRY(ask_to_snapshot(line_->socket, order));
  directory_ = std::move(pair.original);
  return std::unique_ptr<Workspace>(new LayeredWorkspace(line_, order.copy, std::move(pair.copy)));
}

LayeredWorkspace::~LayeredWorkspace() {
  directory_.reset();
  const std::scoped_lock held(line_->busy);
  // Where the launcher has ended, its mounts have too.
  if (line_->socket >= 0) (void)ask_to_close(line_->socket, id_);
}

}  // namespace instar::isolation
