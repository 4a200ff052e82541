#pragma once

#include <string>

#include "base/result.h"
#include "checkpoints/store.h"

namespace instar::checkpoints {

/// The patch from `before` to `after`, unified, with git's headers and the prefixes a/ and b/, over
/// raw blobs: no filter, no text conversion, no setting or
/// attribute of the repository changes it. A binary file is named as such, without its content.
Result<std::string> make_patch(CheckpointStore& store, const TreeId& before, const TreeId& after);

}  // namespace instar::checkpoints
