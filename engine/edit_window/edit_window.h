#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "checkpoints/store.h"
#include "engine/edit_window/edit.h"
#include "engine/edit_window/surface.h"

namespace instar::engine {

/// Why a variant was not let in, told so that its author can do better.
struct Refusal {
  std::string path;  ///< escaped for display; may be empty when no path is involved
  std::string
      rule;  ///< stable name: "path.parent", "protected", "surface", "mode", "region", "inexact" …
  std::string rule_source;  ///< file:line of the rule, or "built-in"
  std::string message;      ///< what was tried and why not
  std::string allowed;      ///< what would be allowed
};

/// Edits that became a tree and passed every rule.
struct Admission {
  checkpoints::TreeId tree;
  std::vector<checkpoints::TreeDelta> deltas;  ///< base tree to this tree
  std::uint64_t patch_lines = 0;               ///< lines added plus removed against the base
  std::uint64_t patch_files = 0;
};

/// The edit window (T1): the one place where edits become a tree. Every variant of every origin
/// passes it.
class EditWindow {
 public:
  EditWindow(Surface surface, checkpoints::CheckpointStore& store, checkpoints::TreeId base);

  /// Applies `edits` to the tree of the parent and checks the result against the base. Path rules
  /// are checked before anything is written; then the tree that will be evaluated and committed is
  /// itself checked. An Error is ours; a Refusal is data about the variant, and leaves nothing
  /// behind.
  Result<std::variant<Admission, Refusal>> admit(const checkpoints::TreeId& parent,
                                                 const std::vector<Edit>& edits);

  /// The check alone, on a tree made elsewhere (verification, promotion).
  Result<std::variant<Admission, Refusal>> check(const checkpoints::TreeId& tree);

  [[nodiscard]] const Surface& surface() const { return surface_; }

 private:
  Surface surface_;
  checkpoints::CheckpointStore& store_;
  checkpoints::TreeId base_;
};

}  // namespace instar::engine
