#include "isolation/cell_cgroup.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "isolation/tree_walk.h"

namespace instar::isolation {

namespace {

constexpr const char* kPrefix = "instar-";

/// Where the group of this process is in the hierarchy of a controller; empty where that hierarchy
/// is not mounted. cgroups(7): /proc/self/cgroup has the path below the mount.
std::string own_group(const std::string& controller) {
  std::string path;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto fields = split(line, ':');
    if (fields.size() < 3) continue;
    for (const auto name : split(fields[1], ',')) {
      if (name == controller) path = line.substr(line.find(':', line.find(':') + 1) + 1);
    }
  }
  if (path.empty()) return {};
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const auto dash = line.find(" - cgroup ");
    if (dash == std::string::npos) continue;
    std::istringstream words(line);
    std::string id;
    std::string parent;
    std::string device;
    std::string root;
    std::string at;
    words >> id >> parent >> device >> root >> at;
    const std::string options = line.substr(line.rfind(' ') + 1);
    bool carries = false;
    for (const auto option : split(options, ',')) carries = carries || option == controller;
    if (!carries) continue;
    // Below a mount that shows a part of the hierarchy, as in a container.
    if (root != "/" && path.starts_with(root)) path = path.substr(root.size());
    return path == "/" || path.empty() ? at : at + path;
  }
  return {};
}

/// Removes the groups that a killed engine left: nobody holds their lock.
void sweep(const std::string& parent) {
  auto entries = OpenDir::open(parent);
  if (!entries) return;
  for (;;) {
    const auto entry = entries->next();
    if (!entry || *entry == nullptr) return;
    const std::string name = (*entry)->d_name;
    if (!name.starts_with(kPrefix)) continue;
    const Fd held(::openat(entries->fd(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (held.valid() && ::flock(held.get(), LOCK_EX | LOCK_NB) == 0) {
      ::unlinkat(entries->fd(), name.c_str(), AT_REMOVEDIR);
    }
  }
}

Result<std::string> read_small(int file, const char* what) {
  std::array<char, 512> text{};
  const ssize_t got = ::pread(file, text.data(), text.size(), 0);
  if (got < 0) return fail(Error::system(std::string("cannot read ") + what, errno));
  return std::string(text.data(), static_cast<std::size_t>(got));
}

/// The number that follows `key` in lines of "key number"; with an empty key, the first one.
std::uint64_t number_after(const std::string& text, std::string_view key) {
  for (const auto line : split(text, '\n')) {
    std::string_view rest = line;
    if (!key.empty()) {
      if (!rest.starts_with(key) || rest.size() <= key.size() || rest[key.size()] != ' ') continue;
      rest.remove_prefix(key.size() + 1);
    }
    std::uint64_t number = 0;
    std::from_chars(rest.data(), rest.data() + rest.size(), number);
    return number;
  }
  return 0;
}

Result<void> write_number(int file, std::uint64_t number, const char* what) {
  const std::string text = std::to_string(number);
  if (::pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size())) return {};
  return fail(Error::system(std::string("cannot set ") + what + " of the cells' group", errno));
}

}  // namespace

Result<void> CellGroup::add(const std::string& controller, const std::string& name) {
  const std::string parent = own_group(controller);
  if (parent.empty()) {
    return fail(ErrorCode::kHostCannot, "there is no hierarchy with the controller " + controller);
  }
  sweep(parent);
  const std::string path = parent + "/" + kPrefix + name;
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) {
    return fail(Error::system("cannot make the group " + path, errno));
  }
  Fd held = INSTAR_TRY(open_file(path, O_RDONLY | O_DIRECTORY));
  if (::flock(held.get(), LOCK_EX | LOCK_NB) != 0) {
    return fail(Error::system("another engine has the group " + path, errno));
  }
  Fd tasks = INSTAR_TRY(open_file(path + "/tasks", O_WRONLY));
  directories_.push_back({.path = path, .held = std::move(held), .tasks = std::move(tasks)});
  return {};
}

Result<std::optional<CellGroup>> CellGroup::make(const std::string& name, std::string& why) {
  CellGroup group;
  for (const char* controller : {"memory", "pids", "cpuacct"}) {
    const auto added = group.add(controller, name);
    if (added) continue;
    why = added.error().message;
    return std::optional<CellGroup>();
  }
  const std::string& memory = group.directories_[0].path;
  const std::string& pids = group.directories_[1].path;
  group.memory_limit_ = INSTAR_TRY(open_file(memory + "/memory.limit_in_bytes", O_WRONLY));
  group.memory_peak_ = INSTAR_TRY(open_file(memory + "/memory.max_usage_in_bytes", O_RDWR));
  group.memory_events_ = INSTAR_TRY(open_file(memory + "/memory.oom_control", O_RDONLY));
  group.process_limit_ = INSTAR_TRY(open_file(pids + "/pids.max", O_WRONLY));
  group.process_events_ = INSTAR_TRY(open_file(pids + "/pids.events", O_RDONLY));
  group.cpu_ = INSTAR_TRY(open_file(group.directories_[2].path + "/cpuacct.usage", O_RDONLY));
  return std::optional(std::move(group));
}

CellGroup::~CellGroup() {
  // One that a process is still in stays; the next engine removes it.
  for (const Directory& directory : directories_) {
    if (directory.held.valid()) ::rmdir(directory.path.c_str());
  }
}

Result<void> CellGroup::set_limits(const Limits& limits) {
  // With the guard off, for the control of a test: more than any host has.
  constexpr std::uint64_t kNoBytes = std::uint64_t{1} << 50;
  constexpr std::uint64_t kNoTasks = std::uint64_t{1} << 20;
  const std::uint64_t memory = unbound_memory_ ? kNoBytes : limits.memory_bytes;
  // One more for the cell's init.
  const std::uint64_t tasks = unbound_processes_ ? kNoTasks : limits.processes + 1;
  if (memory_set_ != memory) {
    INSTAR_CHECK(write_number(memory_limit_.get(), memory, "the memory"));
    memory_set_ = memory;
  }
  if (processes_set_ != tasks) {
    INSTAR_CHECK(write_number(process_limit_.get(), tasks, "the processes"));
    processes_set_ = tasks;
  }
  return write_number(memory_peak_.get(), 0, "the peak");
}

std::vector<int> CellGroup::descriptors() const {
  std::vector<int> files{memory_peak_.get(), memory_events_.get(), process_events_.get(),
                         cpu_.get()};
  for (const Directory& directory : directories_) files.push_back(directory.tasks.get());
  return files;
}

bool CellGroup::enter() const {
  for (const Directory& directory : directories_) {
    if (::write(directory.tasks.get(), "0", 1) != 1) return false;
  }
  return true;
}

Result<GroupUsage> CellGroup::usage() const {
  const std::string memory = INSTAR_TRY(read_small(memory_events_.get(), "memory.oom_control"));
  const std::string pids = INSTAR_TRY(read_small(process_events_.get(), "pids.events"));
  const std::string peak = INSTAR_TRY(read_small(memory_peak_.get(), "memory.max_usage_in_bytes"));
  const std::string cpu = INSTAR_TRY(read_small(cpu_.get(), "cpuacct.usage"));
  return GroupUsage{.cpu_s = static_cast<double>(number_after(cpu, "")) * 1e-9,
                    .peak_bytes = number_after(peak, ""),
                    .out_of_memory = number_after(memory, "oom_kill"),
                    .no_process = number_after(pids, "max")};
}

}  // namespace instar::isolation
