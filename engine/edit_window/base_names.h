#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "checkpoints/store.h"
#include "engine/edit_window/step.h"

namespace instar::engine {

/// The names of the base's files and directories by their folded form, to see whether a new path is
/// a second spelling of one that exists. Read from the store at the first new path, then kept, so
/// that most variants, which add no file, cost nothing in a large repository. Thread-safe.
class BaseNames {
 public:
  BaseNames(checkpoints::CheckpointStore& store, checkpoints::TreeId base)
      : store_(store), base_(base) {}

  /// Whether every file that `deltas` add has a spelling of its own: neither it nor a directory
  /// above it folds like another name of the base, or like another name that is added. On a file
  /// system that ignores case, the two would be one file.
  Step<void> check(std::span<const checkpoints::TreeDelta> deltas);

 private:
  using Spellings = std::map<std::string, std::set<std::string>, std::less<>>;
  Result<const Spellings*> base_spellings();

  checkpoints::CheckpointStore& store_;
  checkpoints::TreeId base_;
  std::mutex mutex_;
  std::unique_ptr<const Spellings> spellings_;
};

}  // namespace instar::engine
