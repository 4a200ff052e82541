#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace instar::engine {

/// Says of a path below the tree's top whether the seal covers it.
using Covers = std::function<bool(const std::string& path)>;

/// A sealed symlink is worth what it leads to: whoever may write its target changes what a test
/// reads through it. kInvalidInput, with what to seal too, when `link` (a symlink below the held
/// tree `root`) leads out of the tree, by way of a symlink that is not sealed, to a file or a
/// missing path that is not sealed, or to a directory where an entry or a new name would not be.
Result<void> check_sealed_link(int root, const std::string& link, const Covers& covers);

}  // namespace instar::engine
