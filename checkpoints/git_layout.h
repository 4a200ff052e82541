#pragma once

#include <filesystem>

#include "base/result.h"

namespace instar::checkpoints {

/// Refuses a git directory in which what Instar keeps (refs/instar and its logs, instar/runs), or a
/// file that git reads refs or packs from, is something else than plain directories and files. A
/// repository comes from anywhere: a symbolic link there would lead our writes out of it, and a
/// FIFO would hold us for ever. kIntegrity names the first such path. `common_dir` is `git_dir` but
/// in a linked worktree.
Result<void> check_git_layout(const std::filesystem::path& git_dir,
                              const std::filesystem::path& common_dir);

}  // namespace instar::checkpoints
