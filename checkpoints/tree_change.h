#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "checkpoints/store.h"

namespace instar::checkpoints {

/// Whether a path can stand in a git tree: relative, `/`-separated, no empty, `.` or `..` part, no
/// NUL, no `.git` in any case. The edit window has the full rules; this is the last line behind it.
Result<void> check_path(std::string_view path);

/// Every path valid and named once; the content of a gitlink is a commit's hex id.
Result<void> check_changes(std::span<const TreeChange> changes);

}  // namespace instar::checkpoints
