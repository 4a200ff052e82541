#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace instar::engine {

/// Every entry below `directory` of a held tree (isolation::hold_tree) that is no directory, links
/// and devices too, as paths relative to the tree; none when `directory` is not there or lies
/// behind a link. Walks held descriptors and follows no link, so a hostile tree cannot lead it out.
/// A tree that is deeper or larger than any honest one is kRefused.
Result<std::vector<std::string>> list_entries(int root, const std::string& directory);

/// Removes one entry that is no directory, through no link. A missing one is no error.
Result<void> remove_entry(int root, const std::string& path);

}  // namespace instar::engine
