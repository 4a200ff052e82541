#include "engine/evaluation/move_watch.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "isolation/beneath.h"

namespace instar::engine {

Result<MoveWatch> MoveWatch::make() {
  Fd inotify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify.valid()) {
    Error error = Error::system("cannot watch the sealed directories", errno);
    error.hint = "raise the sysctl fs.inotify.max_user_instances";
    return fail(std::move(error));
  }
  return MoveWatch(std::move(inotify));
}

Result<void> MoveWatch::begin(int root, const std::set<std::string>& directories) {
  for (const std::string& directory : directories) INSTAR_CHECK(watch(root, directory));
  return {};
}

Result<void> MoveWatch::watch(int root, const std::string& directory) {
  const auto held = isolation::open_beneath(root, directory, O_PATH | O_DIRECTORY);
  if (!held && isolation::not_there(held.error())) return {};
  if (!held) return fail(held.error());
  const std::string name = "/proc/self/fd/" + std::to_string(held->get());
  const int watch = ::inotify_add_watch(inotify_.get(), name.c_str(), IN_MOVE_SELF);
  if (watch < 0) {
    Error error =
        Error::system("cannot watch the directory " + escape_for_terminal(directory), errno);
    if (errno == EACCES) error.code = ErrorCode::kRefused;
    if (errno == ENOSPC) error.hint = "raise the sysctl fs.inotify.max_user_watches";
    return fail(std::move(error));
  }
  watched_.emplace(watch, directory);
  return {};
}

Result<std::set<std::string>> MoveWatch::end() {
  std::set<std::string> moved;
  INSTAR_CHECK(read_moves(moved));
  // A directory that is gone took its watch along: EINVAL.
  for (const auto& [watch, directory] : watched_) ::inotify_rm_watch(inotify_.get(), watch);
  watched_.clear();
  // What is left in the queue tells of the watches that ended.
  INSTAR_CHECK(read_moves(moved));
  return moved;
}

Result<void> MoveWatch::read_moves(std::set<std::string>& moved) {
  alignas(inotify_event) std::array<char, 16 * 1024> buffer{};
  while (true) {
    const ssize_t got = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return {};
    if (got <= 0) return fail(Error::system("cannot read which directories were moved", errno));
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      at += sizeof event + event.len;
      const auto found = watched_.find(event.wd);
      if ((event.mask & IN_MOVE_SELF) != 0 && found != watched_.end()) moved.insert(found->second);
    }
  }
}

Result<std::unique_ptr<MoveWatch>> MoveWatchPool::take() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) return std::make_unique<MoveWatch>(INSTAR_TRY(MoveWatch::make()));
  auto watch = std::move(idle_.back());
  idle_.pop_back();
  return watch;
}

void MoveWatchPool::give(std::unique_ptr<MoveWatch> watch) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(watch));
}

}  // namespace instar::engine
