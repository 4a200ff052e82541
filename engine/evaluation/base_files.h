#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checkpoints/store.h"
#include "engine/edit_window/glob.h"

namespace instar::engine {

/// The directory of the workspace that is ours: the pytest plugin lies there. No base may have it,
/// and no variant may write below it.
inline constexpr std::string_view kReservedDirectory = ".instar";

/// The base commit's files written below `directory` (existing, empty), once per run: raw bytes,
/// executable bits, gitlinks as empty directories, nothing of what `leave_out` matches. A symlink
/// that points out of the tree is left out and named in the answer, for no cell could follow it and
/// nothing on the host should. A name that no checkout could write is kInvalidInput.
Result<std::vector<std::string>> write_base_files(checkpoints::CheckpointStore& store,
                                                  const std::vector<checkpoints::TreeEntry>& base,
                                                  const std::vector<Glob>& leave_out,
                                                  const std::filesystem::path& directory);

/// Whether a symlink at `path` with this target stays inside the tree, by its text alone.
bool stays_inside(std::string_view path, std::string_view target);

}  // namespace instar::engine
