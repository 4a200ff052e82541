#include "isolation/slot_user.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "base/files.h"
#include "isolation/tree_walk.h"

namespace instar::isolation {

namespace {

/// Locks are names in a directory that only root can write, known to every engine of the host.
constexpr const char* kLockDirectory = "/run/instar";

struct Range {
  uid_t first;
  uid_t count;
};
/// First: between what container managers take and the sign bit, where no account lives. Second:
/// for a container whose map ends at 65535, the gap that system accounts, users and dynamic users
/// leave.
constexpr Range kRanges[] = {{2'000'000'000, 4096}, {60'600, 500}};

/// The ids that exist in this user namespace: one that is not mapped cannot be taken.
bool is_mapped(const char* map_file, std::uint64_t id) {
  std::ifstream map(map_file);
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  std::uint64_t length = 0;
  while (map >> inside >> outside >> length) {
    if (id >= inside && id - inside < length) return true;
  }
  return false;
}

bool is_account(uid_t id) {
  std::array<char, 16 * 1024> buffer{};
  passwd user{};
  passwd* found_user = nullptr;
  group members{};
  group* found_group = nullptr;
  ::getpwuid_r(id, &user, buffer.data(), buffer.size(), &found_user);
  ::getgrgid_r(id, &members, buffer.data(), buffer.size(), &found_group);
  return found_user != nullptr || found_group != nullptr;
}

Result<Fd> open_lock_directory() {
  if (::mkdir(kLockDirectory, 0700) != 0 && errno != EEXIST) {
    return fail(Error::system(std::string("cannot create ") + kLockDirectory, errno));
  }
  Fd directory = INSTAR_TRY(open_file(kLockDirectory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  struct stat info {};
  if (::fstat(directory.get(), &info) != 0 || info.st_uid != 0 || (info.st_mode & 022) != 0) {
    return fail(ErrorCode::kHostCannot,
                std::string(kLockDirectory) + " does not belong to root alone",
                "remove it; it holds nothing but locks");
  }
  return directory;
}

Error cannot_tell_users(std::string what) {
  return {.code = ErrorCode::kHostCannot,
          .message = "cannot tell which users have processes: " + std::move(what),
          .hint = "mount proc on /proc, readable for root"};
}

/// Every user that a process of the host is, was or may become again. An Error where that cannot be
/// told: a stranger that is not seen would be killed.
Result<std::set<uid_t>> living_users() {
  std::set<uid_t> users;
  auto processes = OpenDir::open("/proc");
  if (!processes) return fail(cannot_tell_users(processes.error().message));
  for (;;) {
    const auto entry = processes->next();
    if (!entry) return fail(cannot_tell_users(entry.error().message));
    if (*entry == nullptr) break;
    const std::string name = (*entry)->d_name;
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto status = read_file("/proc/" + name + "/status", 64 * 1024);
    if (!status) {
      const int error = status.error().sys_errno;
      if (error == ENOENT || error == ESRCH) continue;  // it has ended
      return fail(cannot_tell_users(status.error().message));
    }
    std::istringstream words(*status);
    for (std::string word; words >> word;) {
      if (word != "Uid:") continue;
      for (uid_t id = 0; words >> id;) users.insert(id);
      break;
    }
  }
  if (users.empty()) return fail(cannot_tell_users("/proc shows none, not even this one"));
  return users;
}

/// Whether a cell may have left processes behind.
bool is_marked(int lock) {
  struct stat info {};
  return ::fstat(lock, &info) == 0 && info.st_size > 0;
}

/// The lock of one id, or an invalid descriptor when another engine holds it.
Result<Fd> try_lock(int directory, uid_t id) {
  const std::string name = "user-" + std::to_string(id) + ".lock";
  Fd file(::openat(directory, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return fail(Error::system("cannot open the lock " + name, errno));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno == EWOULDBLOCK) return Fd();
  return fail(Error::system("cannot take the lock " + name, errno));
}

/// The end of a cell kills whoever is its user: a stranger must not be. Looked up once the locks
/// are held, so that no other engine starts one meanwhile.
Result<void> keep_free_ones(std::vector<SlotUser>& held, std::vector<SlotUser>& users) {
  const std::set<uid_t> living = INSTAR_TRY(living_users());
  for (SlotUser& candidate : held) {
    if (living.contains(candidate.user) && !is_marked(candidate.lock.get())) continue;
    users.push_back(std::move(candidate));
  }
  held.clear();
  return {};
}

}  // namespace

Result<void> SlotUser::mark_used() const {
  if (!lock.valid()) return {};
  if (::pwrite(lock.get(), "used\n", 5, 0) == 5) return {};
  return fail(Error::system("cannot mark the lock of user " + std::to_string(user), errno));
}

void SlotUser::mark_clean() const {
  // A mark that stays costs nothing but a hunt for nobody.
  if (lock.valid() && ::ftruncate(lock.get(), 0) != 0) return;
}

Result<std::vector<SlotUser>> take_slot_users(unsigned count) {
  std::vector<SlotUser> users;
  if (::geteuid() != 0) {
    users.resize(count);
    return users;
  }
  const Fd directory = INSTAR_TRY(open_lock_directory());
  std::vector<SlotUser> held;
  for (const Range& range : kRanges) {
    for (uid_t id = range.first; id < range.first + range.count && users.size() < count; ++id) {
      if (!is_mapped("/proc/self/uid_map", id) || !is_mapped("/proc/self/gid_map", id)) break;
      if (is_account(id)) continue;
      Fd lock = INSTAR_TRY(try_lock(directory.get(), id));
      if (lock.valid()) held.push_back({.user = id, .group = id, .lock = std::move(lock)});
      if (users.size() + held.size() == count) INSTAR_CHECK(keep_free_ones(held, users));
    }
  }
  if (users.size() < count) {
    return fail(ErrorCode::kHostCannot,
                "no free user ids for " + std::to_string(count) +
                    " cells: they are not mapped in "
                    "this user namespace, or other engines on this host hold them",
                "use fewer jobs, or run as an ordinary user");
  }
  return users;
}

}  // namespace instar::isolation
