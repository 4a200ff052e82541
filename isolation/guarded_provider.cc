#include "isolation/guarded_provider.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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

/// For a launcher that was asked to end, and for what it left: a dying tree of any size is gone
/// long before.
constexpr std::chrono::milliseconds kPatience{20'000};

bool ends_within(const Child& child, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd ended{.fd = child.pidfd(), .events = POLLIN, .revents = 0};
    const int events = ::poll(&ended, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (events >= 0) return events > 0;
    if (errno != EINTR) return false;
  }
}

/// A launcher that is dead, or does not answer, cannot end its cell.
void end_without_launcher(Launcher& launcher, const SlotUser& user) {
  if (launcher.process.running()) {
    launcher.process.signal(SIGKILL);
    (void)launcher.process.wait();
  }
  // As root, the slot's user tells in one call what is left of it.
  if (user.user != 0) (void)kill_all_of_user(user.user, user.group);
  if (!guard_off(Guard::kSweep)) (void)end_orphans(kPatience);
}

/// One launcher with its user and its directory.
struct Slot {
  SlotUser user;
  std::shared_ptr<SlotHome> home;
  Launcher launcher;
  std::chrono::milliseconds patience;  ///< with the end of the launcher
  std::mutex busy;                     ///< held while a cell runs

  Slot(SlotUser taken, std::shared_ptr<SlotHome> made, Launcher started,
       std::chrono::milliseconds end_patience)
      : user(std::move(taken)),
        home(std::move(made)),
        launcher(std::move(started)),
        patience(end_patience) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot() {
    launcher.socket.reset();  // the launcher ends whatever runs, then itself
    if (!launcher.process.running()) return;
    // One that a hostile cell stopped, or that waits for a process which the kernel holds, would
    // keep us for ever. Then the mark stays: the next one of this user hunts for what is left.
    if (!ends_within(launcher.process, patience)) {
      end_without_launcher(launcher, user);
      return;
    }
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
    // The slot is of no use any more: whoever could do this to a launcher gets no second cell in
    // it.
    if (!report && report.error().code == ErrorCode::kInternal) {
      end_without_launcher(slot->launcher, slot->user);
    }
    return report;
  }

 private:
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

Result<std::unique_ptr<Slot>> make_slot(const Scratch& scratch, SlotUser user,
                                        const GuardedOptions& options) {
  std::optional<Owner> owner;
  if (user.user != 0) owner = Owner{.user = user.user, .group = user.group};
  OwnedDirectory directory = INSTAR_TRY(
      OwnedDirectory::create(scratch.fd(), scratch.path(), SlotHome::fresh_name("s"), owner));
  auto home = std::make_shared<SlotHome>(std::move(directory), owner);
  INSTAR_CHECK(user.mark_used());
  auto launcher = start_launcher(user, scratch.lock(), options.slots);
  if (!launcher) {
    user.mark_clean();
    return fail(launcher.error());
  }
  return std::make_unique<Slot>(std::move(user), std::move(home), *std::move(launcher),
                                std::min(options.patience, kPatience));
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
    slots.push_back(INSTAR_TRY(make_slot(scratch, std::move(users[i]), options)));
  }
  return std::unique_ptr<CellProvider>(
      std::make_unique<GuardedProvider>(std::move(scratch), std::move(slots), options.patience));
}

}  // namespace instar::isolation
