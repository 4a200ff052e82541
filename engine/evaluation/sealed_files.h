#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/config/target.h"
#include "engine/edit_window/glob.h"
#include "engine/evaluation/seal_watch.h"
#include "isolation/entry_print.h"

namespace instar::engine {

/// What the base's own stages do to its sealed files. A variant's may do the same.
struct SealHabits {
  std::set<std::string> created;  ///< paths that appear among them
  std::set<std::string> touched;  ///< what SealWatch tells of them
};

/// What a look at the sealed files of a workspace found.
struct SealedCheck {
  std::string changed;   ///< a sealed file that is not as the base has it; empty: none
  std::string appeared;  ///< a path among them that was not there before and is not allowed
  std::vector<std::string> created;  ///< every path among them that was not there before
};

/// The files that no variant may change, as they were before anything ran: a regular file by its
/// content and mode, a symlink by where it leads. After a stage, and with no cell running, a
/// workspace is held against it: a sealed file that is changed, replaced (by a link too) or gone,
/// and a path that appeared beside them, is what a variant does that rewrites its own examination.
/// What was changed and put back within the stage, SealWatch tells.
class SealedFiles {
 public:
  /// Hashes what the patterns match below `root`, which nothing hostile has written to. A pattern
  /// that cannot be obeyed, a file that cannot be sealed (too large, of another kind), and a
  /// symlink to what is not sealed (sealed_links.h) is kInvalidInput.
  static Result<SealedFiles> make(const std::vector<Sourced>& patterns,
                                  const std::filesystem::path& root);

  /// Looks at a held workspace. A created path that is in `allowed` is no violation; of those,
  /// bytecode of Python is removed, because a poisoned cache would be loaded in place of the sealed
  /// source; others stay (a test program that the build puts beside its source). An Error is ours.
  [[nodiscard]] Result<SealedCheck> check(int workspace,
                                          const std::set<std::string>& allowed) const;

  /// Watches the sealed files of a held workspace until a stage has run there.
  [[nodiscard]] Result<SealWatch> watch(int workspace) const;

  /// Of every sealed file and symlink, sorted.
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

  [[nodiscard]] bool covers(const std::string& path) const;

 private:
  [[nodiscard]] Result<std::set<std::string>> entries(int root) const;

  std::vector<Glob> globs_;
  std::vector<std::string> roots_;  ///< directories that the patterns can reach; "" is all
  std::map<std::string, isolation::EntryPrint> prints_;  ///< of every entry that is no directory
  std::vector<std::string> paths_;
  std::unique_ptr<MoveWatchPool> watches_ = std::make_unique<MoveWatchPool>();
};

}  // namespace instar::engine
