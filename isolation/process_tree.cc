#include "isolation/process_tree.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/fd.h"
#include "base/text.h"
#include "isolation/tree_walk.h"

namespace instar::isolation {

namespace {

/// One read of a small /proc file into `buffer`.
std::string_view read_proc(const char* path, std::span<char> buffer) {
  const Fd fd(::open(path, O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return {};
  const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
  return got > 0 ? std::string_view(buffer.data(), static_cast<std::size_t>(got))
                 : std::string_view();
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

struct Stat {
  pid_t parent = 0;
  pid_t group = 0;
  bool leader_ended = false;  ///< its first thread has; others may go on
  std::uint64_t start = 0;
  std::uint64_t own_ticks = 0;
  std::uint64_t waited_ticks = 0;
  std::uint64_t threads = 0;
  std::uint64_t mapped_bytes = 0;
  std::uint64_t resident_pages = 0;
};

/// The command name stands in parentheses and may itself contain some: fields count from the last.
std::optional<Stat> parse_stat(const char* path) {
  std::array<char, 1024> buffer{};
  const std::string_view text = read_proc(path, buffer);
  const auto close = text.rfind(')');
  if (close == std::string_view::npos || close + 2 >= text.size()) return std::nullopt;
  const auto fields = split(text.substr(close + 2), ' ');  // fields[0] is number 3 of proc(5)
  if (fields.size() < 22) return std::nullopt;
  Stat stat;
  stat.parent = static_cast<pid_t>(number(fields[1]));
  stat.group = static_cast<pid_t>(number(fields[2]));
  stat.leader_ended = fields[0] == "Z" || fields[0] == "X";
  stat.own_ticks = number(fields[11]) + number(fields[12]);
  stat.waited_ticks = number(fields[13]) + number(fields[14]);
  stat.threads = number(fields[17]);
  stat.start = number(fields[19]);
  stat.mapped_bytes = number(fields[20]);
  stat.resident_pages = number(fields[21]);
  return stat;
}

/// Calls `visit` with every numeric name of a directory of /proc. What ends meanwhile ends the
/// look.
template <class Visit>
void for_each_number(const char* path, Visit visit) {
  auto directory = OpenDir::open(path);
  if (!directory) return;
  for (;;) {
    const auto entry = directory->next();
    if (!entry || *entry == nullptr) return;
    const char* name = (*entry)->d_name;
    if (name[0] >= '1' && name[0] <= '9') visit(static_cast<pid_t>(number(name)));
  }
}

/// Calls `visit` with /proc/PID/task/TID/FILE of every thread. What the threads of a process share
/// is asked of one that lives: the first one takes its view of the memory along when it ends.
template <class Visit>
void for_each_thread_file(pid_t pid, const char* file, Visit visit) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/task", pid);
  for_each_number(path.data(), [&](pid_t thread) {
    std::array<char, 64> file_path{};
    std::snprintf(file_path.data(), file_path.size(), "/proc/%d/task/%d/%s", pid, thread, file);
    visit(file_path.data());
  });
}

void take_memory_of_threads(pid_t pid, Stat& stat) {
  for_each_thread_file(pid, "stat", [&](const char* path) {
    const auto thread = parse_stat(path);
    if (!thread) return;
    stat.mapped_bytes = std::max(stat.mapped_bytes, thread->mapped_bytes);
    stat.resident_pages = std::max(stat.resident_pages, thread->resident_pages);
  });
}

std::optional<Stat> read_stat(pid_t pid) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", pid);
  auto stat = parse_stat(path.data());
  if (stat && stat->leader_ended && stat->threads > 1) take_memory_of_threads(pid, *stat);
  return stat;
}

double seconds_of(std::uint64_t ticks) {
  static const double kTicks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return static_cast<double>(ticks) / kTicks;
}

CpuTime cpu_time(const Stat& stat) {
  return {.start = stat.start,
          .own_s = seconds_of(stat.own_ticks),
          .waited_s = seconds_of(stat.waited_ticks)};
}

/// The children of one thread, from /proc/PID/task/TID/children. False where the kernel lacks it.
bool append_children_of_thread(pid_t pid, pid_t thread, std::vector<pid_t>& out) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/task/%d/children", pid, thread);
  const Fd fd(::open(path.data(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return false;
  std::array<char, 4096> buffer{};
  std::string text;
  for (ssize_t got = 0; (got = ::read(fd.get(), buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  for (const auto word : split(text, ' ')) {
    if (const auto child = static_cast<pid_t>(number(word)); child > 0) out.push_back(child);
  }
  return true;
}

void append_children(pid_t pid, std::uint64_t threads, std::vector<pid_t>& out) {
  if (threads <= 1) {
    append_children_of_thread(pid, pid, out);
    return;
  }
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/task", pid);
  for_each_number(path.data(), [&](pid_t thread) { append_children_of_thread(pid, thread, out); });
}

void add(TreeSample& sample, pid_t pid, const Stat& stat) {
  static const auto kPage = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  sample.pids.push_back(pid);
  sample.times.emplace_back(pid, cpu_time(stat));
  sample.groups.insert(stat.group);
  sample.tasks += stat.threads == 0 ? 1 : stat.threads;
  sample.cpu_s += seconds_of(stat.own_ticks + stat.waited_ticks);
  sample.memory_bytes += stat.resident_pages * kPage;
  sample.mapped_bytes += stat.mapped_bytes;
}

/// Walks by the children files. `visit` comes before the children of a process are looked up, so
/// that one it stops cannot fork past the look; false ends the walk.
template <class Visit>
void walk_by_children(pid_t root, Visit visit) {
  std::vector<pid_t> pending;
  append_children(root, 1, pending);
  while (!pending.empty()) {
    const pid_t pid = pending.back();
    pending.pop_back();
    const auto stat = read_stat(pid);
    if (!stat) continue;
    if (!visit(pid, *stat)) return;
    append_children(pid, stat->threads, pending);
  }
}

/// Without the children files: every process of the host, then those whose chain of parents leads
/// to `root`.
template <class Visit>
void walk_by_parents(pid_t root, Visit visit) {
  std::vector<std::pair<pid_t, Stat>> all;
  for_each_number("/proc", [&](pid_t pid) {
    if (const auto stat = read_stat(pid)) all.emplace_back(pid, *stat);
  });
  std::vector<pid_t> pending{root};
  while (!pending.empty()) {
    const pid_t parent = pending.back();
    pending.pop_back();
    for (const auto& [pid, stat] : all) {
      if (stat.parent != parent) continue;
      if (!visit(pid, stat)) return;
      pending.push_back(pid);
    }
  }
}

bool has_children_files() {
  static const bool kHas = [] {
    std::vector<pid_t> ignored;
    return append_children_of_thread(::getpid(), ::getpid(), ignored);
  }();
  return kHas;
}

template <class Visit>
void walk(pid_t root, Visit visit) {
  if (has_children_files()) {
    walk_by_children(root, visit);
  } else {
    walk_by_parents(root, visit);
  }
}

/// Signals through a descriptor, after a look at the parent: the number alone may by now belong to
/// a process of somebody else.
void signal_member(pid_t pid, const std::set<pid_t>& family, int signo) {
  const Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (handle.valid() && family.contains(parent_of(pid))) {
    ::syscall(SYS_pidfd_send_signal, handle.get(), signo, nullptr, 0);
  }
}

std::uint64_t proportional_of(pid_t pid) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/smaps_rollup", pid);
  std::array<char, 2048> buffer{};
  const std::string_view text = read_proc(path.data(), buffer);
  const auto at = text.find("\nPss:");
  if (at != std::string_view::npos) {
    const std::string_view value = trim(text.substr(at + 5, text.find(" kB", at) - at - 5));
    return number(value) * 1024;
  }
  const auto stat = read_stat(pid);
  return stat ? stat->resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

/// Of processes that share one memory, as after vfork, the first. kcmp(2) puts memories into an
/// order: 0 the same, 1 before, else behind. Where it may not ask, each counts.
std::vector<pid_t> one_per_memory(const std::vector<pid_t>& pids) {
  constexpr int kMemory = 1;  // KCMP_VM
  std::vector<pid_t> ordered;
  for (const pid_t pid : pids) {
    auto low = ordered.begin();
    auto high = ordered.end();
    bool shared = false;
    while (low != high && !shared) {
      const auto middle = low + (high - low) / 2;
      const long order = ::syscall(SYS_kcmp, pid, *middle, kMemory, 0, 0);
      shared = order == 0;
      if (order == 1) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    if (!shared) ordered.insert(high, pid);
  }
  return ordered;
}

/// VmPTE of a status file; nothing where there is none, as of a thread that has ended.
std::optional<std::uint64_t> page_tables_in(const char* path) {
  std::array<char, 16 * 1024> buffer{};  // the groups of a user stand before it
  const std::string_view text = read_proc(path, buffer);
  constexpr std::string_view kKey = "\nVmPTE:";
  const auto at = text.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(at + kKey.size());
  return number(trim(line.substr(0, line.find(" kB")))) * 1024;
}

std::uint64_t page_tables_of(pid_t pid) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/status", pid);
  if (const auto bytes = page_tables_in(path.data())) return *bytes;
  std::uint64_t largest = 0;
  for_each_thread_file(pid, "status", [&](const char* thread) {
    largest = std::max(largest, page_tables_in(thread).value_or(0));
  });
  return largest;
}

}  // namespace

TreeSample sample_tree(pid_t root, std::uint64_t most_tasks) {
  TreeSample sample;
  walk(root, [&](pid_t pid, const Stat& stat) {
    add(sample, pid, stat);
    return sample.tasks < most_tasks;
  });
  return sample;
}

std::set<pid_t> stop_tree(pid_t root) {
  constexpr int kMostLooks = 16;  // against a race that would never end; the caller comes back
  std::set<pid_t> family{root};
  for (int look = 0; look < kMostLooks; ++look) {
    bool found = false;
    walk(root, [&](pid_t pid, const Stat&) {
      if (family.insert(pid).second) {
        found = true;
        signal_member(pid, family, SIGSTOP);
      }
      return true;
    });
    if (!found) break;
  }
  return family;
}

void kill_members(const std::set<pid_t>& family) {
  for (const pid_t pid : family) signal_member(pid, family, SIGKILL);
}

std::uint64_t proportional_bytes(const std::vector<pid_t>& pids) {
  std::uint64_t sum = 0;
  for (const pid_t pid : one_per_memory(pids)) sum += proportional_of(pid);
  return sum;
}

std::uint64_t page_table_bytes(const std::vector<pid_t>& pids) {
  std::uint64_t sum = 0;
  for (const pid_t pid : one_per_memory(pids)) sum += page_tables_of(pid);
  return sum;
}

std::uint64_t tasks_of_this_user() {
  std::uint64_t tasks = 0;
  for_each_number("/proc", [&](pid_t pid) {
    std::array<char, 32> path{};
    std::snprintf(path.data(), path.size(), "/proc/%d", pid);
    struct stat info {};
    if (::stat(path.data(), &info) != 0 || info.st_uid != ::geteuid()) return;
    if (const auto stat = read_stat(pid)) tasks += stat->threads;
  });
  return tasks;
}

std::optional<CpuTime> cpu_time_of(pid_t pid) {
  const auto stat = read_stat(pid);
  if (!stat) return std::nullopt;
  return cpu_time(*stat);
}

pid_t parent_of(pid_t pid) {
  const auto stat = read_stat(pid);
  return stat ? stat->parent : 0;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  if (has_children_files()) {
    append_children(pid, UINT64_MAX, children);
    return children;
  }
  for_each_number("/proc", [&](pid_t other) {
    if (parent_of(other) == pid) children.push_back(other);
  });
  return children;
}

Confinement confinement_of(pid_t pid) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/status", pid);
  std::array<char, 4096> buffer{};
  const std::string_view text = read_proc(path.data(), buffer);
  const auto value = [&](std::string_view key) -> std::uint64_t {
    const auto at = text.find(key);
    return at == std::string_view::npos ? 0 : number(trim(text.substr(at + key.size(), 8)));
  };
  return {.no_new_privs = value("\nNoNewPrivs:") == 1,
          .filters = static_cast<unsigned>(value("\nSeccomp_filters:"))};
}

}  // namespace instar::isolation
