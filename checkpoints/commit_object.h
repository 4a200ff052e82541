#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "checkpoints/store.h"

namespace instar::checkpoints {

/// The bytes of the commit object that `spec` describes; the same spec gives the same bytes. Author
/// and committer are the same, with an address that is none. A message or a name that git could not
/// hold is kInvalidInput.
Result<std::string> format_commit(const CommitSpec& spec);

/// Reads any commit object; `id` is left empty. Malformed bytes are kIntegrity.
Result<CommitInfo> parse_commit(std::string_view bytes);

}  // namespace instar::checkpoints
