#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "checkpoints/git_handle.h"
#include "checkpoints/store.h"

namespace instar::checkpoints {

/// The refs whose names begin with `prefix`, sorted by name; a symbolic one is given as
/// "ref: <its target>".
Result<std::vector<Ref>> list_refs(git_repository& repository, const std::string& prefix);

/// CheckpointStore::move_ref; the caller has checked that the target exists. The comparison and the
/// write stand under the ref's own lock file, which git honours too.
Result<void> move_own_ref(git_repository& repository, const std::string& name, const RawId& target,
                          const std::optional<std::string>& expected_hex);

}  // namespace instar::checkpoints
