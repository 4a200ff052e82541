#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "engine/evaluation/move_watch.h"
#include "isolation/entry_print.h"

namespace instar::engine {

/// Tells which sealed entries of one workspace were changed while a stage ran, even where all of it
/// was put back before the end. A file or symlink is known by its inode and ctime. A directory
/// above them has a new ctime with every entry that is made in it, and moving it leaves those of
/// its files alone; so moves of directories are watched for.
class SealWatch {
 public:
  /// Looks at the entries `paths` of a held workspace, those that are there, and begins to watch.
  /// No cell runs in the workspace yet. No change after the return has a time that was seen: where
  /// the file system does not tell changes within a tick apart, the rest of the tick is waited for
  /// (1 to 10 ms). kRefused: a directory is shut against us, the work of whoever wrote the tree.
  static Result<SealWatch> start(int workspace, const std::vector<std::string>& paths,
                                 MoveWatchPool& pool);

  /// What was changed since, with no cell running any more: entries by their path, directories that
  /// were moved by their path and a `/`. Asked once.
  Result<std::vector<std::string>> touched();

 private:
  SealWatch(int root, MoveWatchPool& pool) : root_(root), pool_(pool) {}
  Result<void> stamp(const std::vector<std::string>& paths);
  Result<void> watch_directories(const std::vector<std::string>& paths);

  int root_;
  MoveWatchPool& pool_;
  std::map<std::string, isolation::EntryStamp> stamps_;
  std::unique_ptr<MoveWatch> moves_;  ///< none: there is no directory to watch
};

}  // namespace instar::engine
