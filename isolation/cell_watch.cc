#include "isolation/cell_watch.h"

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "isolation/guard_control.h"
#include "isolation/process_tree.h"
#include "isolation/tree_walk.h"

namespace instar::isolation {

namespace {
using namespace std::chrono_literals;

constexpr auto kProcessInterval = 10ms;
constexpr auto kFileInterval = 100ms;
/// A look that took t is followed by a pause of this many t, within bounds.
constexpr int kPauseFactor = 20;
constexpr auto kLongestProcessPause = 50ms;
constexpr auto kLongestFilePause = 250ms;
/// A page that is mapped needs at most a page of tables on each level, however far it lies from the
/// next one: x86-64 and arm64 have at most four levels below the one that every process has.
constexpr std::uint64_t kTableLevels = 4;
}  // namespace

CellWatch::Clock::duration CellWatch::process_pause(Clock::duration took) {
  return std::clamp<Clock::duration>(took * kPauseFactor, kProcessInterval, kLongestProcessPause);
}

CellWatch::Clock::duration CellWatch::file_pause(Clock::duration took) {
  return std::clamp<Clock::duration>(took * kPauseFactor, kFileInterval, kLongestFilePause);
}

Result<CellWatch> CellWatch::make(const CellRequest& request, Clock::time_point start,
                                  const Options& options) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  Fd workspace = INSTAR_TRY(open_file(request.workspace, kFlags));
  Fd cell = INSTAR_TRY(open_file(request.cell, kFlags));
  CellWatch watch(request, start, options, std::move(workspace), std::move(cell));
  if (options.group != nullptr) watch.before_ = INSTAR_TRY(options.group->usage());
  return watch;
}

CellWatch::CellWatch(const CellRequest& request, Clock::time_point start, const Options& options,
                     Fd workspace, Fd cell)
    : request_(request),
      options_(options),
      workspace_(std::move(workspace)),
      cell_(std::move(cell)),
      wall_deadline_(start + request.limits.wall),
      processes_due_(start + kProcessInterval),
      files_due_(start + kFileInterval) {}

CellWatch::Clock::time_point CellWatch::next_look() const {
  return std::min({wall_deadline_, processes_due_, files_due_});
}

LimitHit CellWatch::look(Clock::time_point now, double reaped_cpu_s) {
  if (now >= processes_due_) {
    const LimitHit hit = look_at_processes(reaped_cpu_s);
    const auto after = Clock::now();
    processes_due_ = after + process_pause(after - now);
    if (hit != LimitHit::kNone) return hit;
  }
  if (const auto before = Clock::now(); before >= files_due_) {
    const LimitHit hit = look_at_files();
    const auto after = Clock::now();
    files_due_ = after + file_pause(after - before);
    if (hit != LimitHit::kNone) return hit;
  }
  // Last, so that a cell which used up its CPU time by its deadline is told so whatever the load.
  return now >= wall_deadline_ ? LimitHit::kWall : LimitHit::kNone;
}

LimitHit CellWatch::look_at_processes(double reaped_cpu_s) {
  if (const LimitHit hit = look_at_group(); hit != LimitHit::kNone) return hit;
  const Limits& limits = request_.limits;
  const std::uint64_t most = limits.processes + (options_.namespaced ? 1 : 0);
  const TreeSample sample = sample_tree(::getpid(), most + 1);
  if (sample.tasks > most && !guard_off(Guard::kProcessLimit)) {
    return LimitHit::kProcesses;
  }
  cpu_.look(sample, reaped_cpu_s);
  if (reaped_cpu_s + sample.cpu_s + cpu_.lost_s() >=
      std::chrono::duration<double>(limits.cpu).count()) {
    return LimitHit::kCpu;
  }
  // Asked only where they could matter: it takes as long as the look itself.
  std::uint64_t tables = 0;
  if (sample.memory_bytes + sample.mapped_bytes * kTableLevels > limits.memory_bytes) {
    tables = page_table_bytes(sample.pids);
  }
  std::uint64_t memory = sample.memory_bytes + tables;
  if (memory > limits.memory_bytes) {
    // Children of one program share most of its pages: before a cell ends, they are counted right.
    memory = proportional_bytes(sample.pids) + tables;
    if (memory > limits.memory_bytes && !guard_off(Guard::kMemoryLimit)) {
      peak_bytes_ = std::max(peak_bytes_, memory);
      return LimitHit::kMemory;
    }
  }
  peak_bytes_ = std::max(peak_bytes_, memory);
  return LimitHit::kNone;
}

LimitHit CellWatch::look_at_files() {
  if (guard_off(Guard::kWorkspaceWatch)) return LimitHit::kNone;
  if (options_.namespaced) return look_at_room();
  const Limits& limits = request_.limits;
  TreeUsage usage = measure_tree(workspace_.get(), limits.workspace_bytes, limits.inodes);
  const TreeUsage own = measure_tree(cell_.get(), limits.workspace_bytes, limits.inodes);
  usage.bytes += own.bytes;
  usage.inodes += own.inodes;
  if (usage.too_deep || own.too_deep) return LimitHit::kDepth;
  if (usage.hidden || own.hidden) return LimitHit::kHidden;
  if (usage.bytes > limits.workspace_bytes) return LimitHit::kWorkspace;
  if (usage.inodes > limits.inodes) return LimitHit::kInodes;
  return LimitHit::kNone;
}

LimitHit CellWatch::look_at_room() const {
  const Limits& limits = request_.limits;
  for (const int directory : {workspace_.get(), cell_.get()}) {
    struct statfs room {};
    if (::fstatfs(directory, &room) != 0) return LimitHit::kHidden;
    const std::uint64_t used =
        (room.f_blocks - room.f_bfree) * static_cast<std::uint64_t>(room.f_bsize);
    if (room.f_bavail == 0 || used > limits.workspace_bytes) return LimitHit::kWorkspace;
    if (room.f_ffree == 0 || room.f_files - room.f_ffree > limits.inodes) return LimitHit::kInodes;
  }
  return LimitHit::kNone;
}

/// What the kernel refused or ended by itself. Where it cannot be asked, it still does.
LimitHit CellWatch::look_at_group() {
  if (options_.group == nullptr) return LimitHit::kNone;
  const auto now = options_.group->usage();
  if (!now) return LimitHit::kNone;
  if (now->out_of_memory > before_.out_of_memory) {
    peak_bytes_ = std::max(peak_bytes_, now->peak_bytes);
    return LimitHit::kMemory;
  }
  if (now->no_process > before_.no_process) return LimitHit::kProcesses;
  return LimitHit::kNone;
}

double CellWatch::finish_cpu(double reaped_cpu_s) {
  cpu_.finish(reaped_cpu_s);
  const double seen_s = reaped_cpu_s + cpu_.lost_s();
  if (options_.group == nullptr) return seen_s;
  const auto now = options_.group->usage();
  return now ? now->cpu_s - before_.cpu_s : seen_s;
}

}  // namespace instar::isolation
