#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "checkpoints/store.h"
#include "engine/edit_window/edit.h"
#include "engine/evaluation/evaluation.h"

namespace instar::engine {

/// Where a variant came from.
struct Provenance {
  std::string generator;    ///< "mutate"
  std::string family;       ///< operator family: "relational"
  std::string fingerprint;  ///< of the edit, independent of where the file stands now: for strikes
                            ///< and learning
};

/// A parent that a generator may build on: the base (id "base") or an accepted variant.
struct Parent {
  std::string id;
  checkpoints::TreeId tree;
  const Evaluation* evaluation = nullptr;
};

/// What a generator may see: accepted variants, best first, as of `window` results ago. The base is
/// always last.
struct SearchState {
  std::vector<Parent> population;
};

struct Proposal {
  std::string parent;  ///< Parent::id
  std::vector<Edit> edits;
  std::string purpose;  ///< one line for the commit message: "src/tri.c:14: replace `<` by `<=`"
  Provenance provenance;
};

/// What became of a proposal, told in order of n and `window` results late.
struct Feedback {
  const Proposal* proposal = nullptr;
  std::string fate;                        ///< "refused", "duplicate", "accepted", "rejected"
  const Evaluation* evaluation = nullptr;  ///< null when it was never run
};

/// Makes proposals. Deterministic: the same calls with the same arguments give the same proposals.
class Generator {
 public:
  virtual ~Generator() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Nothing: exhausted, and asking has changed nothing: how often that happens may depend on what
  /// runs when.
  virtual Result<std::optional<Proposal>> next(const SearchState& state, RandomStream random) = 0;
  virtual void observe(const Feedback& feedback) = 0;
};

}  // namespace instar::engine
