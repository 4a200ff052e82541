#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/edit_window/edit.h"
#include "engine/edit_window/refusal.h"
#include "engine/edit_window/unified_diff.h"

namespace instar::engine {

/// Syntax edits of one file, by the place they stand.
struct SyntaxEdits {
  std::vector<const SyntaxEdit*> edits;
};

/// Everything that a set of edits does to one file.
struct FilePlan {
  std::string path;
  std::variant<const WholeFile*, FilePatch, SyntaxEdits> how;
};

/// Sorts edits by file; the result refers to `edits`. Refused: a diff that is malformed, and a file
/// with two edits that are not all syntax edits, since then the outcome would depend on an order.
OrRefusal<std::vector<FilePlan>> plan_edits(const std::vector<Edit>& edits);

/// The file as the plan leaves it (nothing: absent), or why the edits do not fit it exactly.
OrRefusal<std::optional<std::string>> apply_plan(const FilePlan& plan,
                                                 const std::optional<std::string>& before);

}  // namespace instar::engine
