#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "isolation/entry_print.h"

namespace instar::engine {

/// Tells which sealed entries of one workspace were changed while a stage ran, even where all of it
/// was put back before the end. A file or symlink is known by its inode and ctime. A directory
/// above them has a new ctime with every entry that is made in it, and moving it leaves those of
/// its files alone; so moves of directories are watched for (inotify).
class SealWatch {
 public:
  /// Looks at the entries `paths`, those that are there, and begins to watch. No cell runs in the
  /// workspace yet. On return the clock of the file system is past every time that was seen (at
  /// most a few milliseconds are waited for that), so no later change can have one of them.
  /// kRefused: a directory is shut against us, the work of whoever wrote the tree.
  static Result<SealWatch> start(const std::filesystem::path& workspace,
                                 const std::vector<std::string>& paths);

  /// What was changed since, with no cell running any more: entries by their path, directories that
  /// were moved by their path and a `/`. Asked once.
  Result<std::vector<std::string>> touched();

 private:
  explicit SealWatch(Fd root) : root_(std::move(root)) {}
  Result<void> stamp(const std::vector<std::string>& paths);
  Result<void> watch_directories(const std::vector<std::string>& paths);
  Result<void> watch_directory(const std::string& path);
  Result<void> read_moves(std::vector<std::string>& touched);

  Fd root_;
  std::map<std::string, isolation::EntryStamp> stamps_;
  Fd moves_;                          ///< invalid: there is no directory to watch
  std::map<int, std::string> moved_;  ///< by watch: the directory's path
};

}  // namespace instar::engine
