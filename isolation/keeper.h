#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "isolation/tree_copy.h"

namespace instar::isolation {

/// Gives entries of a held tree to somebody else than the cell's user, so that a command can read
/// them and make files beside them, and cannot change, replace, move or remove them. The
/// directories above them, the top among them, become sticky. An entry whose mode would shut the
/// cell out, or let everybody write, stays whose it is. Nothing hostile has written to the tree.
Result<void> give_to_keeper(int root, std::span<const std::string> paths, const Owner& keeper);

}  // namespace instar::isolation
