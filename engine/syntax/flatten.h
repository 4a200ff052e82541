#pragma once

#include <cstddef>
#include <vector>

#include "engine/syntax/syntax_tree.h"

namespace instar::engine {

/// A tree of the library as nodes in document order, with the roles and fields of its language.
/// `errors` becomes the number of ERROR and MISSING nodes.
std::vector<Node> flatten(const Language& language, const TSTree& tree, std::size_t& errors);

/// ERROR and MISSING nodes; looks only into subtrees that have any.
std::size_t count_errors(const TSTree& tree);

}  // namespace instar::engine
