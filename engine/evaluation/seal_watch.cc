#include "engine/evaluation/seal_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <set>
#include <thread>

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

/// A change of the directory that leaves it as it is; its new ctime. None where it cannot be made.
std::optional<nanoseconds> change_time(const std::string& directory) {
  struct stat seen {};
  if (::stat(directory.c_str(), &seen) != 0) return {};
  if (::chmod(directory.c_str(), seen.st_mode & 07777) != 0) return {};
  if (::stat(directory.c_str(), &seen) != 0) return {};
  return std::chrono::seconds(seen.st_ctim.tv_sec) + nanoseconds(seen.st_ctim.tv_nsec);
}

/// Whether the file system of a held directory gives a change that follows a look a time of its own
/// within one tick (Linux 6.13, multigrain timestamps). If in doubt, it does not.
bool tells_changes_apart(int directory) {
  const std::string name = "/proc/self/fd/" + std::to_string(directory);
  const nanoseconds tick = file_clock();
  const auto first = change_time(name);
  const auto second = change_time(name);
  return first && second && *first < *second && file_clock() == tick;
}

void wait_past(nanoseconds newest) {
  for (int i = 0; i < kMostMillisecondsToWait && file_clock() <= newest; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Result<SealWatch> SealWatch::start(int workspace, const std::vector<std::string>& paths,
                                   MoveWatchPool& pool) {
  SealWatch watch(workspace, pool);
  INSTAR_CHECK(watch.stamp(paths));
  INSTAR_CHECK(watch.watch_directories(paths));
  return watch;
}

Result<void> SealWatch::stamp(const std::vector<std::string>& paths) {
  nanoseconds newest{};
  for (const std::string& path : paths) {
    const auto stamp = isolation::stamp_entry(root_, path);
    // A sealed entry that is not there is told by whoever holds the tree against its prints.
    if (!stamp && isolation::not_there(stamp.error())) continue;
    if (!stamp) return fail(stamp.error());
    newest = std::max(newest, stamp->changed);
    stamps_.emplace(path, *stamp);
  }
  if (!stamps_.empty() && !tells_changes_apart(root_)) wait_past(newest);
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
  moves_ = INSTAR_TRY(pool_.take());
  return moves_->begin(root_, directories);
}

Result<std::vector<std::string>> SealWatch::touched() {
  std::vector<std::string> touched;
  for (const auto& [path, before] : stamps_) {
    const auto now = isolation::stamp_entry(root_, path);
    if (!now && !isolation::not_there(now.error())) return fail(now.error());
    if (!now || *now != before) touched.push_back(path);
  }
  if (!moves_) return touched;
  for (const std::string& directory : INSTAR_TRY(moves_->end())) touched.push_back(directory + "/");
  pool_.give(std::move(moves_));
  return touched;
}

}  // namespace instar::engine
