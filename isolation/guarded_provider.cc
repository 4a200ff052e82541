#include "isolation/guarded_provider.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "isolation/cell_run.h"
#include "isolation/guard_control.h"
#include "isolation/guarded_workspace.h"
#include "isolation/landlock.h"
#include "isolation/launcher.h"
#include "isolation/level_available.h"
#include "isolation/orphan_hunt.h"
#include "isolation/scratch.h"
#include "isolation/slot_user.h"
#include "isolation/tree_reaper.h"
#include "isolation/tree_walk.h"

namespace instar::isolation {

namespace {

/// One launcher with its user and its directory.
struct Slot {
  SlotUser user;
  std::shared_ptr<SlotHome> home;
  Launcher launcher;
  std::mutex busy;  ///< held while a cell runs

  Slot(SlotUser taken, std::shared_ptr<SlotHome> made, Launcher started)
      : user(std::move(taken)), home(std::move(made)), launcher(std::move(started)) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot() {
    launcher.socket.reset();  // the launcher ends whatever runs, then itself
    if (!launcher.process.running()) return;
    const auto ended = launcher.process.wait();
    if (ended && ended->exit_code == 0) user.mark_clean();
  }
};

class GuardedProvider final : public CellProvider {
 public:
  GuardedProvider(Scratch scratch, std::vector<std::unique_ptr<Slot>> slots,
                  std::chrono::milliseconds patience)
      : scratch_(std::move(scratch)),
        slots_(std::move(slots)),
        patience_(patience),
        landlock_abi_(isolation::landlock_abi()) {}

  [[nodiscard]] const std::filesystem::path& scratch() const override { return scratch_.path(); }

  Result<std::unique_ptr<Workspace>> open_workspace(const WorkspaceSpec& spec) override {
    Slot* slot = INSTAR_TRY(find(spec.slot));
    return INSTAR_TRY(GuardedWorkspace::create(slot->home, spec));
  }

  Result<CellReport> run(const CellSpec& spec, Workspace& workspace,
                         std::stop_token stop) override {
    Slot* slot = INSTAR_TRY(find(spec.slot));
    const auto* own = dynamic_cast<const GuardedWorkspace*>(&workspace);
    if (own == nullptr || own->home() != slot->home.get()) {
      return fail(ErrorCode::kInternal, "the workspace does not belong to slot " +
                                            std::to_string(spec.slot) + " of this provider");
    }
    const std::unique_lock held(slot->busy, std::try_to_lock);
    if (!held) {
      return fail(ErrorCode::kInternal,
                  "slot " + std::to_string(spec.slot) + " runs a cell already");
    }
    auto report = run_cell({.spec = spec,
                            .workspace = *own,
                            .home = *slot->home,
                            .launcher = slot->launcher.socket.get(),
                            .patience = patience_,
                            .landlock_abi = landlock_abi_},
                           std::move(stop));
    if (!report && report.error().code == ErrorCode::kInternal) end_without_launcher(*slot);
    return report;
  }

 private:
  /// A launcher that is dead, or does not answer, cannot end its cell. The slot is of no use any
  /// more: whoever could do this to a launcher gets no second cell in it.
  static void end_without_launcher(Slot& slot) {
    constexpr std::chrono::seconds kPatience{20};
    if (slot.launcher.process.running()) {
      slot.launcher.process.signal(SIGKILL);
      (void)slot.launcher.process.wait();
    }
    // As root, the slot's user tells in one call what is left of it.
    if (slot.user.user != 0) (void)kill_all_of_user(slot.user.user, slot.user.group);
    if (!guard_off(Guard::kSweep)) (void)end_orphans(kPatience);
  }

  Result<Slot*> find(unsigned slot) {
    if (slot < slots_.size()) return slots_[slot].get();
    return fail(ErrorCode::kInternal, "there is no slot " + std::to_string(slot) +
                                          "; the provider has " + std::to_string(slots_.size()));
  }

  Scratch scratch_;
  std::vector<std::unique_ptr<Slot>> slots_;  // ends before the scratch directory does
  std::chrono::milliseconds patience_;
  int landlock_abi_;
};

/// A fork copies one thread: locks that another one holds would stay locked for ever in the copy.
Result<void> require_single_thread() {
  auto tasks = INSTAR_TRY(OpenDir::open("/proc/self/task"));
  unsigned threads = 0;
  while (INSTAR_TRY(tasks.next()) != nullptr) ++threads;
  if (threads == 1) return {};
  return fail(
      ErrorCode::kInternal,
      "cells cannot be prepared: this process has " + std::to_string(threads) + " threads already",
      "make the provider before the first thread starts");
}

/// Copies of deep trees, several at once, reach the usual 1024: then a variant's tree would be our
/// failure. What may not be raised stays. Cells get a limit of their own.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<std::unique_ptr<Slot>> make_slot(const Scratch& scratch, SlotUser user, unsigned slots) {
  std::optional<Owner> owner;
  if (user.user != 0) owner = Owner{.user = user.user, .group = user.group};
  OwnedDirectory directory = INSTAR_TRY(
      OwnedDirectory::create(scratch.fd(), scratch.path(), SlotHome::fresh_name("s"), owner));
  auto home = std::make_shared<SlotHome>(std::move(directory), owner);
  INSTAR_CHECK(user.mark_used());
  auto launcher = start_launcher(user, scratch.lock(), slots);
  if (!launcher) {
    user.mark_clean();
    return fail(launcher.error());
  }
  return std::make_unique<Slot>(std::move(user), std::move(home), *std::move(launcher));
}

}  // namespace

Result<std::unique_ptr<CellProvider>> make_guarded_provider(const GuardedOptions& options) {
  if (options.slots == 0) return fail(ErrorCode::kInternal, "a provider needs at least one slot");
  INSTAR_CHECK(require_single_thread());
  INSTAR_CHECK(require_level(Level::kGuarded));
  INSTAR_CHECK(inherit_orphans());
  raise_descriptor_limit();
  Scratch scratch = INSTAR_TRY(Scratch::create(options.scratch));
  std::vector<SlotUser> users = INSTAR_TRY(take_slot_users(options.slots));
  std::vector<std::unique_ptr<Slot>> slots;
  for (unsigned i = 0; i < options.slots; ++i) {
    slots.push_back(INSTAR_TRY(make_slot(scratch, std::move(users[i]), options.slots)));
  }
  return std::unique_ptr<CellProvider>(
      std::make_unique<GuardedProvider>(std::move(scratch), std::move(slots), options.patience));
}

}  // namespace instar::isolation
