#pragma once

#include <dirent.h>
#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace instar::isolation {

/// Depth that a tree of ours may have: deeper than any honest one, and few enough for a descriptor
/// per level.
inline constexpr unsigned kDeepestTree = 128;

/// Owns an open directory stream.
class OpenDir {
 public:
  /// Opens `name` below `parent`, never through a symlink. With `force`, a directory of ours whose
  /// mode shuts us out gets mode 0700 first.
  static Result<OpenDir> open_at(int parent, const char* name, bool force = false);
  static Result<OpenDir> open(const std::string& path);

  [[nodiscard]] int fd() const { return ::dirfd(stream_.get()); }
  /// The next entry but `.` and `..`; nullptr at the end. An Error where the rest of the directory
  /// cannot be told, so that a part is never taken for the whole.
  Result<const dirent*> next();

 private:
  static Result<OpenDir> adopt(Fd fd);
  explicit OpenDir(DIR* stream) : stream_(stream, &::closedir) {}
  std::unique_ptr<DIR, int (*)(DIR*)> stream_;
};

/// What a tree takes of the disk.
struct TreeUsage {
  std::uint64_t bytes = 0;   ///< allocated blocks, shared equally among the names of a file
  std::uint64_t inodes = 0;  ///< entries
  bool too_deep = false;     ///< nested deeper than kDeepestTree; the rest is not counted
};

/// Measures below `path` by descriptors, also while a hostile program works there; stops early when
/// either bound is passed.
TreeUsage measure_tree(const std::string& path, std::uint64_t most_bytes,
                       std::uint64_t most_inodes);

/// Removes `name` below `parent` with everything in it, whatever a program made there: shut
/// directories, any depth, any names. Call it only when nothing runs there.
Result<void> remove_tree_at(int parent, const char* name);

}  // namespace instar::isolation
