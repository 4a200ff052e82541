#include "isolation/cell_slot.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "isolation/guard_control.h"
#include "isolation/level_available.h"
#include "isolation/orphan_hunt.h"
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

/// Null where this process may make none, and none is required.
Result<std::unique_ptr<CellGroup>> make_group(bool required) {
  std::string why;
  auto made = INSTAR_TRY(CellGroup::make(SlotHome::fresh_name(""), why));
  if (!made && required) {
    return fail(
        ErrorCode::kHostCannot,
        "cell.require: tree_memory, but no control group bounds the memory of cells here: " + why,
        "run as root on a host with the version 1 controllers memory, pids and cpuacct, or "
        "take tree_memory out of safety.yaml, if that is acceptable");
  }
  if (!made) return std::unique_ptr<CellGroup>();
  return std::make_unique<CellGroup>(*std::move(made));
}

}  // namespace

CellSlot::CellSlot(Parts parts, std::chrono::milliseconds patience)
    : user_(std::move(parts.user)),
      keeper_(std::move(parts.keeper)),
      group_(std::move(parts.group)),
      home_(std::move(parts.home)),
      launcher_(std::move(parts.launcher)),
      line_(std::make_shared<LauncherLine>()),
      patience_(patience) {
  line_->socket = launcher_.socket.get();
}

CellSlot::~CellSlot() {
  {
    const std::scoped_lock held(line_->busy);
    line_->socket = -1;
  }
  launcher_.socket.reset();  // the launcher ends whatever runs, then itself
  if (!launcher_.process.running()) return;
  // One that a hostile cell stopped, or that waits for a process which the kernel holds, would
  // keep us for ever. Then the mark stays: the next one of this user hunts for what is left.
  if (!ends_within(launcher_.process, patience_)) {
    give_up();
    return;
  }
  const auto ended = launcher_.process.wait();
  if (ended && ended->exit_code == 0) user_.mark_clean();
}

Result<std::unique_lock<std::mutex>> CellSlot::occupy(bool own) const {
  if (!own) return fail(ErrorCode::kInternal, "the workspace does not belong to this slot");
  std::unique_lock held(line_->busy, std::try_to_lock);
  if (!held) return fail(ErrorCode::kInternal, "this slot runs a cell already");
  return held;
}

void CellSlot::give_up() { end_without_launcher(launcher_, user_); }

Result<std::unique_ptr<CellSlot>> CellSlot::make(const Scratch& scratch, SlotUser user,
                                                 SlotUser keeper, const ProviderOptions& options) {
  std::optional<Owner> owner;
  if (user.user != 0) owner = Owner{.user = user.user, .group = user.group};
  OwnedDirectory directory = INSTAR_TRY(
      OwnedDirectory::create(scratch.fd(), scratch.path(), SlotHome::fresh_name("s"), owner));
  auto home = std::make_shared<SlotHome>(std::move(directory), owner);
  INSTAR_CHECK(user.mark_used());
  LauncherOptions start{.user = user,
                        .scratch_lock = scratch.lock(),
                        .slots = options.slots,
                        .scratch = {},
                        .keeper = keeper.user};
  std::unique_ptr<CellGroup> group;
  if (options.level == Level::kNamespace) {
    start.scratch = scratch.path();
    group = INSTAR_TRY(make_group(options.tree_memory));
    start.group = group.get();
  }
  auto launcher = start_launcher(start);
  if (!launcher) {
    user.mark_clean();
    return fail(launcher.error());
  }
  return std::unique_ptr<CellSlot>(new CellSlot({.user = std::move(user),
                                                 .keeper = std::move(keeper),
                                                 .group = std::move(group),
                                                 .home = std::move(home),
                                                 .launcher = *std::move(launcher)},
                                                std::min(options.patience, kPatience)));
}

Result<CellSlot*> CellSlots::find(unsigned slot) const {
  if (slot < slots.size()) return slots[slot].get();
  return fail(ErrorCode::kInternal, "there is no slot " + std::to_string(slot) +
                                        "; the provider has " + std::to_string(slots.size()));
}

Result<CellSlots> make_cell_slots(const ProviderOptions& options) {
  if (options.slots == 0) return fail(ErrorCode::kInternal, "a provider needs at least one slot");
  INSTAR_CHECK(require_single_thread());
  INSTAR_CHECK(require_level(options.level));
  INSTAR_CHECK(inherit_orphans());
  raise_descriptor_limit();
  CellSlots made{.scratch = INSTAR_TRY(Scratch::create(options.scratch)), .slots = {}};
  const bool kept = options.level == Level::kNamespace;
  std::vector<SlotUser> users = INSTAR_TRY(take_slot_users(options.slots * (kept ? 2 : 1)));
  for (unsigned i = 0; i < options.slots; ++i) {
    SlotUser keeper = kept ? std::move(users[options.slots + i]) : SlotUser();
    made.slots.push_back(
        INSTAR_TRY(CellSlot::make(made.scratch, std::move(users[i]), std::move(keeper), options)));
  }
  return made;
}

}  // namespace instar::isolation
