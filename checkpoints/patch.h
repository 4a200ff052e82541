#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "checkpoints/store.h"

namespace instar::checkpoints {

/// How much of one file differs.
struct FileChange {
  std::string path;
  std::uint64_t added = 0;    ///< lines
  std::uint64_t removed = 0;  ///< lines
  bool binary = false;        ///< no line counts then
};

/// What turns one tree into another.
struct Patch {
  std::string text;  ///< unified, with git's headers and the prefixes a/ and b/
  std::vector<FileChange> files;
  /// Lines added plus lines removed, over all files.
  [[nodiscard]] std::uint64_t lines() const;
};

/// The patch from `before` to `after`, over raw blobs: no filter, no text conversion, no setting or
/// attribute of the repository changes it. A binary file is named as such, without its content.
Result<Patch> make_patch(CheckpointStore& store, const TreeId& before, const TreeId& after);

}  // namespace instar::checkpoints
