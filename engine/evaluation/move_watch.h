#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace instar::engine {

/// Tells which directories of a tree were moved, even where they were put back (inotify). One
/// stretch of watching at a time.
class MoveWatch {
 public:
  static Result<MoveWatch> make();

  /// Watches `directories`, paths below the tree that `root` holds; one that is not there is passed
  /// over. kRefused: one is shut against us.
  Result<void> begin(int root, const std::set<std::string>& directories);

  /// The directories that were moved since, and the end of watching.
  Result<std::set<std::string>> end();

 private:
  explicit MoveWatch(Fd inotify) : inotify_(std::move(inotify)) {}
  Result<void> watch(int root, const std::string& directory);
  Result<void> read_moves(std::set<std::string>& moved);

  Fd inotify_;
  std::map<int, std::string> watched_;  ///< by watch: the directory's path
};

/// Watches to be used again: closing one waits in the kernel for as long as 15 ms. Of any thread.
class MoveWatchPool {
 public:
  /// One that watches nothing.
  Result<std::unique_ptr<MoveWatch>> take();
  /// Takes one back whose last stretch was ended without an error.
  void give(std::unique_ptr<MoveWatch> watch);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<MoveWatch>> idle_;
};

}  // namespace instar::engine
