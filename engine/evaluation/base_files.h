#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checkpoints/store.h"

namespace instar::engine {

/// The directory of the workspace that is ours: the pytest plugin lies there. No base may have it,
/// and no variant may write below it.
inline constexpr std::string_view kReservedDirectory = ".instar";

/// The base commit's files written below `directory` (existing, empty), once per run: raw bytes,
/// executable bits, gitlinks as empty directories. A symlink that may lead out of the tree
/// (isolation::stays_inside) is left out and named in the answer. A name that no checkout could
/// write is kInvalidInput.
Result<std::vector<std::string>> write_base_files(checkpoints::CheckpointStore& store,
                                                  const std::vector<checkpoints::TreeEntry>& base,
                                                  const std::filesystem::path& directory);

}  // namespace instar::engine
