#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/result.h"
#include "checkpoints/store.h"
#include "engine/edit_window/edit_window.h"
#include "engine/generators/generator.h"
#include "engine/run/breakers.h"
#include "engine/run/journal.h"
#include "engine/run/run_state.h"
#include "engine/run/variant.h"

namespace instar::engine {

/// The patch between two trees as text, for the record.
using PatchRenderer = std::function<Result<std::string>(const checkpoints::TreeId& before,
                                                        const checkpoints::TreeId& after)>;

/// Proposals become variants here, one after the other: generate, admit at the edit window, drop
/// what is known. Serial, and a function of the seed and of the state it is shown, so the same run
/// gives the same variants.
class Proposer {
 public:
  struct Dependencies {
    Generator& generator;
    EditWindow& window;
    checkpoints::CheckpointStore& store;
    Journal& journal;
    PatchRenderer render_patch;
  };
  Proposer(Dependencies dependencies, std::uint64_t seed, checkpoints::TreeId base);

  struct Step {
    std::optional<Variant> variant;
    bool exhausted = false;
    std::optional<BreakerTrip> trip;
  };
  /// One proposal: the variant number `n`, or that the generator has none, or that a rule stops the
  /// run; nothing of them when the proposal was refused or gave a known tree.
  Result<Step> next(std::uint64_t n, const SearchState& state, const Breakers& breakers);

  /// Proposals so far, by fate; results count nothing here.
  [[nodiscard]] const Counters& tally() const { return tally_; }
  /// Refusals at the edit window since the variant before the last one given.
  [[nodiscard]] std::uint64_t refusals_before_last() const { return refusals_before_last_; }

 private:
  Result<std::optional<Variant>> admit(std::uint64_t n, Proposal proposal,
                                       const checkpoints::TreeId& parent);
  Result<void> refuse(const Proposal& proposal, const Refusal& refusal);

  Dependencies deps_;
  std::uint64_t seed_;
  checkpoints::TreeId base_;
  std::unordered_set<std::string> known_trees_;  ///< hex ids, those in flight included
  Counters tally_;
  std::uint64_t fruitless_ = 0;  ///< since the last variant
  std::uint64_t refused_ = 0;    ///< since the last variant
  std::uint64_t refusals_before_last_ = 0;
  std::string last_refusal_;
};

}  // namespace instar::engine
