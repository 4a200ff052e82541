#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/edit_window/edit.h"
#include "engine/edit_window/refusal.h"

namespace instar::engine {

/// Applies syntax edits of one file, all in terms of `before`. Refused: an edit outside the file,
/// one whose `expected` is not what stands there, two that overlap, two insertions at one place.
OrRefusal<std::optional<std::string>> apply_syntax_edits(const std::string& path,
                                                         std::vector<const SyntaxEdit*> edits,
                                                         const std::optional<std::string>& before);

}  // namespace instar::engine
