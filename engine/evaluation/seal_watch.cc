#include "engine/evaluation/seal_watch.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <set>
#include <thread>

#include "base/text.h"
#include "isolation/beneath.h"

namespace instar::engine {

namespace {

using std::chrono::nanoseconds;

/// Twice the longest tick (HZ=100). A time beyond that is no time of ours: the clock was set back.
constexpr int kMostMillisecondsToWait = 20;

/// The clock that file systems take their times from.
nanoseconds file_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

void wait_past(nanoseconds newest) {
  for (int i = 0; i < kMostMillisecondsToWait && file_clock() <= newest; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// It is missing, or something stands there that cannot be looked at.
bool not_there(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kRefused;
}

}  // namespace

Result<SealWatch> SealWatch::start(const std::filesystem::path& workspace,
                                   const std::vector<std::string>& paths) {
  SealWatch watch(INSTAR_TRY(isolation::hold_tree(workspace)));
  INSTAR_CHECK(watch.stamp(paths));
  INSTAR_CHECK(watch.watch_directories(paths));
  return watch;
}

Result<void> SealWatch::stamp(const std::vector<std::string>& paths) {
  nanoseconds newest{};
  for (const std::string& path : paths) {
    const auto stamp = isolation::stamp_entry(root_.get(), path);
    // A sealed entry that is not there is told by whoever holds the tree against its prints.
    if (!stamp && not_there(stamp.error())) continue;
    if (!stamp) return fail(stamp.error());
    newest = std::max(newest, stamp->changed);
    stamps_.emplace(path, *stamp);
  }
  wait_past(newest);
  return {};
}

Result<void> SealWatch::watch_directories(const std::vector<std::string>& paths) {
  // The top itself lies in a directory of the engine and cannot be moved from inside.
  std::set<std::string> directories;
  for (const std::string& path : paths) {
    for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
      directories.insert(path.substr(0, slash));
  }
  if (directories.empty()) return {};
  moves_ = Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!moves_.valid()) {
    Error error = Error::system("cannot watch the sealed directories", errno);
    error.hint = "raise the sysctl fs.inotify.max_user_instances";
    return fail(std::move(error));
  }
  for (const std::string& directory : directories) INSTAR_CHECK(watch_directory(directory));
  return {};
}

Result<void> SealWatch::watch_directory(const std::string& path) {
  const auto held = isolation::open_beneath(root_.get(), path, O_PATH | O_DIRECTORY);
  if (!held && not_there(held.error())) return {};
  if (!held) return fail(held.error());
  const std::string name = "/proc/self/fd/" + std::to_string(held->get());
  const int watch = ::inotify_add_watch(moves_.get(), name.c_str(), IN_MOVE_SELF);
  if (watch < 0) {
    Error error = Error::system("cannot watch the directory " + escape_for_terminal(path), errno);
    if (errno == EACCES) error.code = ErrorCode::kRefused;
    if (errno == ENOSPC) error.hint = "raise the sysctl fs.inotify.max_user_watches";
    return fail(std::move(error));
  }
  moved_.emplace(watch, path);
  return {};
}

Result<std::vector<std::string>> SealWatch::touched() {
  std::vector<std::string> touched;
  for (const auto& [path, before] : stamps_) {
    const auto now = isolation::stamp_entry(root_.get(), path);
    if (!now && !not_there(now.error())) return fail(now.error());
    if (!now || *now != before) touched.push_back(path);
  }
  INSTAR_CHECK(read_moves(touched));
  return touched;
}

Result<void> SealWatch::read_moves(std::vector<std::string>& touched) {
  if (!moves_.valid()) return {};
  std::set<std::string> moved;
  alignas(inotify_event) std::array<char, 16 * 1024> buffer{};
  while (true) {
    const ssize_t got = ::read(moves_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) return fail(Error::system("cannot read which directories were moved", errno));
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      at += sizeof event + event.len;
      const auto found = moved_.find(event.wd);
      if ((event.mask & IN_MOVE_SELF) != 0 && found != moved_.end()) {
        moved.insert(found->second + "/");
      }
    }
  }
  touched.insert(touched.end(), moved.begin(), moved.end());
  return {};
}

}  // namespace instar::engine
