#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "checkpoints/store.h"
#include "checkpoints/tree_object.h"

namespace instar::checkpoints {

/// CheckpointStore::list, find and diff over tree objects, wherever they are read from.
Result<std::vector<TreeEntry>> list_tree(const RawId& tree, const ReadTree& read_tree);
Result<std::optional<TreeEntry>> find_in_tree(const RawId& tree, std::string_view path,
                                              const ReadTree& read_tree);
Result<std::vector<TreeDelta>> diff_trees(const RawId& before, const RawId& after,
                                          const ReadTree& read_tree);

}  // namespace instar::checkpoints
