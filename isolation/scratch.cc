#include "isolation/scratch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string>
#include <system_error>
#include <utility>

#include "base/random.h"
#include "isolation/landlock.h"
#include "isolation/tree_walk.h"

namespace instar::isolation {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCellsPrefix = "instar-cells-";
constexpr const char* kMakingPrefix = "instar-making-";
constexpr const char* kLockName = "lock";
constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// As root the cells run as other users, who must be able to pass through every directory on the
/// way, or each command would fail where nobody expects it.
Result<void> check_passable(const fs::path& directory) {
  if (::geteuid() != 0) return {};
  for (fs::path part = directory;; part = part.parent_path()) {
    struct stat info {};
    if (::stat(part.c_str(), &info) != 0) {
      return fail(Error::system("cannot stat " + part.string(), errno));
    }
    if ((info.st_mode & S_IXOTH) == 0) {
      return fail(ErrorCode::kInvalidInput,
                  "cells cannot reach the scratch directory " + directory.string() +
                      ": other users "
                      "may not pass through " +
                      part.string(),
                  "choose one below /tmp or /var/tmp, e.g. with TMPDIR");
    }
    if (part == part.root_path()) return {};
  }
}

/// Every cell may read below these: what lies there is no secret of another cell, nor of its own.
Result<void> check_hidden(const fs::path& directory) {
  for (const std::string& visible : visible_host_directories()) {
    std::error_code error;
    const fs::path seen = fs::canonical(visible, error);
    if (error) continue;  // not there, so nothing lies below it
    const auto parting =
        std::mismatch(seen.begin(), seen.end(), directory.begin(), directory.end());
    if (parting.first != seen.end()) continue;
    return fail(ErrorCode::kInvalidInput,
                "the scratch directory " + directory.string() + " lies below " + visible +
                    ", which every cell may read",
                "choose one below /tmp or /var/tmp, e.g. with TMPDIR");
  }
  return {};
}

/// The directory cannot be used as it is named: where it was named and what to do.
tl::unexpected<Error> unusable(const fs::path& directory, bool from_environment, int err) {
  Error error = Error::system("cannot use the scratch directory " + directory.string() +
                                  (from_environment ? ", which TMPDIR names" : ""),
                              err);
  error.code = ErrorCode::kInvalidInput;
  error.hint = from_environment
                   ? "set TMPDIR to a directory that exists and that you may write to, or unset "
                     "it: /tmp is used then"
                   : "set TMPDIR to a directory that exists and that you may write to";
  return fail(std::move(error));
}

/// Of another kind than a full disk: another directory is the answer.
bool is_of_the_directory(int err) {
  return err == EACCES || err == EPERM || err == EROFS || err == ENOENT || err == ENOTDIR;
}

/// One that an engine left behind between creating and locking it; it holds nothing. A living
/// engine takes some microseconds for that.
bool was_given_up(const struct stat& info) {
  constexpr time_t kPatience = 600;
  return info.st_mtime < ::time(nullptr) - kPatience;
}

/// Nobody holds the lock: the engine and its launchers are gone. Without one, a removal was cut
/// off: the directory has its name only once the lock is held.
bool is_unlocked(int directory) {
  const Fd lock(::openat(directory, kLockName, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!lock.valid() && errno == ENOENT) return true;
  return lock.valid() && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
}

/// Removes the directories of engines that are gone.
void sweep(int parent) {
  auto directory = OpenDir::open_at(parent, ".");
  if (!directory) return;
  for (;;) {
    const auto entry = directory->next();
    if (!entry || *entry == nullptr) return;
    const std::string name = (*entry)->d_name;
    const bool making = name.starts_with(kMakingPrefix);
    if (!making && !name.starts_with(kCellsPrefix)) continue;
    const Fd found(::openat(parent, name.c_str(), kDirectoryFlags));
    struct stat info {};
    if (!found.valid() || ::fstat(found.get(), &info) != 0 || info.st_uid != ::geteuid()) continue;
    if (!(making ? was_given_up(info) : is_unlocked(found.get()))) continue;
    // Best effort: what cannot be removed now is tried again by the next start.
    (void)remove_tree_at(parent, name.c_str());
  }
}

}  // namespace

Result<Scratch> Scratch::create(fs::path parent) {
  bool from_environment = false;
  if (parent.empty()) {
    const char* configured = ::getenv("TMPDIR");
    from_environment = configured != nullptr && *configured != '\0';
    parent = from_environment ? configured : "/tmp";
  }
  const fs::path named = parent;
  std::error_code error;
  parent = fs::canonical(named, error);
  if (!error && !fs::is_directory(parent, error) && !error) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (error) return unusable(named, from_environment, error.value());
  INSTAR_CHECK(check_passable(parent));
  INSTAR_CHECK(check_hidden(parent));
  Fd above = INSTAR_TRY(open_file(parent, O_RDONLY | O_DIRECTORY));
  sweep(above.get());

  // Under its final name only when it is locked: a sweep never sees it unlocked.
  const std::string id = random_hex(6);
  const std::string making = kMakingPrefix + id;
  const std::string name = kCellsPrefix + id;
  if (::mkdirat(above.get(), making.c_str(), 0700) != 0) {
    if (is_of_the_directory(errno)) return unusable(named, from_environment, errno);
    return fail(Error::system("cannot create a directory below " + parent.string(), errno));
  }
  Fd directory(::openat(above.get(), making.c_str(), kDirectoryFlags));
  Fd lock(::openat(directory.get(), kLockName, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  // Others may pass, not look: a slot's user must reach its own directory and know its name.
  const mode_t mode = ::geteuid() == 0 ? 0711 : 0700;
  if (!directory.valid() || !lock.valid() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 ||
      ::fchmod(directory.get(), mode) != 0 ||
      ::renameat(above.get(), making.c_str(), above.get(), name.c_str()) != 0) {
    const int err = errno;
    (void)remove_tree_at(above.get(), making.c_str());
    return fail(Error::system("cannot prepare a directory below " + parent.string(), err));
  }
  return Scratch(parent / name, std::move(above), std::move(directory), std::move(lock));
}

Scratch::~Scratch() {
  // Nobody can be told here; what stays is swept by the next start.
  if (directory_.valid()) (void)remove_tree_at(parent_.get(), path_.filename().c_str());
}

}  // namespace instar::isolation
