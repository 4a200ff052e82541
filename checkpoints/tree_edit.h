#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "checkpoints/git_handle.h"
#include "checkpoints/object_memory.h"
#include "checkpoints/store.h"
#include "checkpoints/tree_object.h"

namespace instar::checkpoints {

/// A tree made by an edit, and the objects that it needs beside those of the tree it came from.
struct EditedTree {
  RawId id{};
  ObjectMap fresh;  ///< the tree itself, too
};

/// Applies `changes` to the tree `base` by rewriting the trees along the changed paths only. A
/// directory that loses its last file goes. Removing what is not there is kNotFound; a file where a
/// directory is, or the reverse, is kInvalidInput unless the same changes remove what stood there.
Result<EditedTree> edit_tree(const RawId& base, std::span<const TreeChange> changes,
                             const ReadTree& read_tree);

}  // namespace instar::checkpoints
