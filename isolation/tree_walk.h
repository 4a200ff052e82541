#pragma once

#include <dirent.h>
#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace instar::isolation {

/// Directories that may lie within each other in a tree of ours, its top among them: twice as deep
/// as any honest one (node_modules within each other reach about 30), and few enough for two
/// descriptors per level in each of several copies at once.
inline constexpr unsigned kDeepestTree = 64;

/// What to do about a directory of ours whose mode shuts us out.
enum class Shut {
  kRefuse,  ///< it cannot be opened
  kPeek,    ///< it is open to us while it is held, then has its mode again
  kOpen,    ///< it gets mode 0700
};

/// Owns an open directory stream.
class OpenDir {
 public:
  /// Opens `name` below `parent`, never through a symlink.
  static Result<OpenDir> open_at(int parent, const char* name, Shut shut = Shut::kRefuse);
  static Result<OpenDir> open(const std::string& path);
  /// Opens the directory that a descriptor holds, once more.
  static Result<OpenDir> open_held(int directory, Shut shut);

  [[nodiscard]] int fd() const { return ::dirfd(stream_.get()); }
  /// The next entry but `.` and `..`; nullptr at the end. An Error where the rest of the directory
  /// cannot be told, so that a part is never taken for the whole.
  Result<const dirent*> next();

 private:
  /// Gives a directory its mode back, unless somebody else changed it meanwhile.
  struct Closer {
    std::optional<mode_t> restored;
    void operator()(DIR* stream) const;
  };
  static Result<OpenDir> adopt(Fd fd, Shut shut);
  explicit OpenDir(DIR* stream, Closer closer) : stream_(stream, closer) {}
  std::unique_ptr<DIR, Closer> stream_;
};

/// What a tree takes of the disk.
struct TreeUsage {
  std::uint64_t bytes = 0;   ///< allocated blocks, shared equally among the names of a file
  std::uint64_t inodes = 0;  ///< entries
  bool too_deep = false;     ///< kDeepestTree directories or more; the rest is not counted
  bool hidden = false;       ///< a part could not be looked at, though it is there
};

/// Measures below a held directory, also while a hostile program works there; stops early when
/// either bound is passed. Directories that their mode shuts are opened for the look, since a
/// program that holds files open behind one could fill the disk unseen; a test that asks whether
/// its own shut directory is shut may meet such a look, which lasts microseconds.
TreeUsage measure_tree(int directory, std::uint64_t most_bytes, std::uint64_t most_inodes);

/// Removes `name` below `parent` with everything in it, whatever a program made there: shut
/// directories, any depth, any names. Call it only when nothing runs there.
Result<void> remove_tree_at(int parent, const char* name);

}  // namespace instar::isolation
