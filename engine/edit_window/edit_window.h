#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "base/result.h"
#include "checkpoints/store.h"
#include "engine/edit_window/edit.h"
#include "engine/edit_window/refusal.h"
#include "engine/edit_window/step.h"
#include "engine/edit_window/surface.h"
#include "engine/edit_window/surface_rules.h"

namespace instar::engine {

/// A variant is one change that a person can review and one checkout must hold; more files than
/// this are a rewrite. It also bounds the time a variant can keep the edit window busy.
inline constexpr std::size_t kMaxVariantFiles = 256;
/// All edits of a variant together. Sixteen files at the default cap: far above any patch, far
/// below what would hurt.
inline constexpr std::size_t kMaxEditBytes = std::size_t{16} << 20;

/// Edits that became a tree and passed every rule.
struct Admission {
  checkpoints::TreeId tree;
  std::vector<checkpoints::TreeDelta> deltas;  ///< base tree to this tree
  std::uint64_t patch_lines = 0;               ///< lines added plus removed against the base
  std::uint64_t patch_files = 0;
};

class BaseNames;

/// The edit window (T1): the one place where edits become a tree. Every variant of every origin
/// passes it.
class EditWindow {
 public:
  EditWindow(Surface surface, checkpoints::CheckpointStore& store, checkpoints::TreeId base);

  EditWindow(EditWindow&&) noexcept;
  EditWindow& operator=(EditWindow&&) = delete;
  ~EditWindow();

  /// Applies `edits` to the tree of the parent and checks the result against the base. Path rules
  /// are checked before anything is written; then the tree that will be evaluated and committed is
  /// itself checked. An Error is ours (or a pattern of the surface that cannot be obeyed); a
  /// Refusal is data about the variant. Both leave nothing behind. Thread-safe, as `check` is.
  Result<std::variant<Admission, Refusal>> admit(const checkpoints::TreeId& parent,
                                                 const std::vector<Edit>& edits);

  /// The check alone, on a tree made elsewhere (verification, promotion). Complete by itself: it
  /// trusts nothing that `admit` did. The base's own tree passes, with no deltas.
  Result<std::variant<Admission, Refusal>> check(const checkpoints::TreeId& tree);

 private:
  Step<Admission> try_admit(const checkpoints::TreeId& parent, const std::vector<Edit>& edits);
  Step<std::vector<checkpoints::TreeChange>> apply(const checkpoints::TreeId& parent,
                                                   const std::vector<Edit>& edits);
  Step<Admission> try_check(const checkpoints::TreeId& tree);

  Surface surface_;
  checkpoints::CheckpointStore& store_;
  checkpoints::TreeId base_;
  Result<SurfaceRules> rules_;  ///< an error refuses everything: a rule that is not understood
  std::unique_ptr<BaseNames> names_;
};

}  // namespace instar::engine
