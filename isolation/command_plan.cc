#include "isolation/command_plan.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "base/text.h"
#include "isolation/guard_control.h"
#include "isolation/process_tree.h"
#include "isolation/supervisor.h"

namespace instar::isolation {

namespace {

using Clock = std::chrono::steady_clock;

/// Hard = soft, and never above what this process may give: lower is stricter.
LimitEntry limit_entry(int resource, std::uint64_t value) {
  rlimit current{};
  ::getrlimit(static_cast<__rlimit_resource>(resource), &current);
  const auto wanted = std::min<rlim_t>(value, current.rlim_max);
  return {.resource = resource, .value = {.rlim_cur = wanted, .rlim_max = wanted}};
}

/// RLIMIT_NPROC. It counts per user: for a user of the slot's own one more than allowed, so that
/// the watch sees who wants more and can name it. For a user that is shared with everything else of
/// theirs it is only a backstop behind the watch, with room for all cells and for what they may
/// start meanwhile, looked up once a second.
std::uint64_t process_limit(const LauncherState& state, const Limits& limits) {
  // A user namespace counts alone; the launcher and the cell's init are in it.
  if (state.in_namespaces) return limits.processes + 3;
  if (state.user != 0) return limits.processes + 1;
  constexpr std::uint64_t kRoom = 512;
  static Clock::time_point counted;
  static std::uint64_t tasks = 0;
  if (tasks == 0 || Clock::now() - counted > std::chrono::seconds(1)) {
    tasks = tasks_of_this_user();
    counted = Clock::now();
  }
  return tasks + kRoom + state.slots * limits.processes;
}

std::vector<LimitEntry> limit_entries(const LauncherState& state, const Limits& limits) {
  const auto cpu = std::chrono::ceil<std::chrono::seconds>(limits.cpu).count();
  std::vector<LimitEntry> entries{
      limit_entry(RLIMIT_CORE, 0),
      // The watch decides to the millisecond; this holds a single process where the watch is slow.
      limit_entry(RLIMIT_CPU, static_cast<std::uint64_t>(cpu) + 1),
      limit_entry(RLIMIT_NOFILE, limits.open_files),
      limit_entry(RLIMIT_FSIZE, limits.file_size_bytes),
      limit_entry(RLIMIT_MEMLOCK, 0),
      limit_entry(RLIMIT_MSGQUEUE, 0),
      limit_entry(RLIMIT_RTPRIO, 0),
      limit_entry(RLIMIT_NICE, 0),
      limit_entry(RLIMIT_SIGPENDING, 1024),
      // Threads get this much each by default, and it counts as data.
      limit_entry(RLIMIT_STACK, 8 * kMiB),
  };
  if (!guard_off(Guard::kMemoryLimit)) {
    // DATA, not AS: runtimes reserve address space that they never use. A quarter more than the
    // limit, so that the watch, which can name it, is normally the one to end the cell.
    entries.push_back(limit_entry(RLIMIT_DATA, limits.memory_bytes + limits.memory_bytes / 4));
  }
  if (!guard_off(Guard::kProcessLimit)) {
    entries.push_back(limit_entry(RLIMIT_NPROC, process_limit(state, limits)));
  }
  return entries;
}

/// Where the search path may find the command.
std::vector<std::string> candidates(const CellRequest& request) {
  const std::string& name = request.argv.front();
  if (name.find('/') != std::string::npos) return {name};
  std::vector<std::string> paths;
  for (const auto& variable : request.env) {
    if (!variable.starts_with("PATH=")) continue;
    for (const auto directory : split(std::string_view(variable).substr(5), ':')) {
      paths.push_back(std::string(directory.empty() ? "." : directory) + "/" + name);
    }
  }
  return paths;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (const auto& text : strings) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

CommandPlan::CommandPlan(const LauncherState& state, const CellRequest& request)
    : state_(&state),
      request_(&request),
      argv_(pointers(request.argv)),
      envp_(pointers(request.env)),
      candidates_(candidates(request)),
      limits_(limit_entries(state, request.limits)) {}

tl::expected<CommandPlan, PlanFailure> CommandPlan::make(const LauncherState& state,
                                                         const CellRequest& request,
                                                         const std::vector<OwnPlace>& places) {
  CommandPlan plan(state, request);
  for (const OwnPlace& place : places) {
    auto fd = open_file(place.path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!fd) return tl::unexpected(PlanFailure{SetupStage::kWorkspace, fd.error().sys_errno});
    plan.places_.push_back({.fd = *std::move(fd), .access = place.access});
  }
  if (!guard_off(Guard::kLandlock)) {
    auto made = make_ruleset(state.landlock_abi, state.view, plan.places_);
    if (!made) return tl::unexpected(PlanFailure{SetupStage::kLandlock, made.error().sys_errno});
    plan.ruleset_ = *std::move(made);
  }
  return plan;
}

Spawned CommandPlan::spawn() const {
  std::vector<const char*> paths;
  for (const auto& path : candidates_) paths.push_back(path.c_str());
  const Filter& filter = state_->filter;
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()),
                           .filter = const_cast<sock_filter*>(filter.data())};
  const bool drop_user = !state_->in_namespaces && !guard_off(Guard::kUserDrop);
  return spawn_cell({.argv = argv_.data(),
                     .envp = envp_.data(),
                     .candidates = paths,
                     .out = request_->out.get(),
                     .err = request_->err.get(),
                     .workspace = places_.front().fd.get(),
                     .ruleset = ruleset_.get(),
                     .limits = limits_,
                     .filter = guard_off(Guard::kSeccomp) ? nullptr : &program,
                     .user = drop_user ? state_->user : 0,
                     .group = state_->user_group,
                     .close_descriptors = !guard_off(Guard::kCloseFds)});
}

}  // namespace instar::isolation
