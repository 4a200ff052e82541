#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "engine/evaluation/lane.h"
#include "engine/evaluation/test_tally.h"

namespace instar::engine {

/// The variant and its parent measured side by side: on the stages that are repeated they run
/// alternately, the order alternating too, so that a machine that warms up, throttles or gets a
/// neighbour treats both alike.
class Pairing {
 public:
  /// `open_parent` gives the parent's lane; called at most once, when the first pair is due. Null:
  /// there is no parent, and the variant is repeated alone.
  Pairing(const Target& target, const Baseline& baseline, const TestBase& base,
          const isolation::Limits& limits, Lane& variant, std::function<Result<Lane>()> open_parent)
      : target_(target),
        baseline_(baseline),
        base_(base),
        limits_(limits),
        variant_(variant),
        open_parent_(std::move(open_parent)) {}

  /// Runs stage `index` once for the variant.
  StageRun run_once(std::size_t index, std::stop_token stop);
  /// Runs it `repeats` times for both and keeps the samples; the run returned has their medians. A
  /// run of the variant that does not pass ends it and is returned; so is a fault of ours, the
  /// parent's included: it must not count against the variant.
  StageRun run_paired(std::size_t index, unsigned repeats, std::stop_token stop);

  Samples samples;
  Samples parent_samples;
  std::vector<std::string> notes;

 private:
  enum class Place { kWorkspace, kCopy };
  StageRun judged(Lane& lane, std::size_t index, Place place, std::stop_token stop);
  /// Whether the parent's lane stands before stage `index`. An Error is a fault of ours.
  Result<bool> bring_parent_to(std::size_t index, std::stop_token stop);
  /// Whether the parent can still be compared with after a run of its own.
  Result<bool> parent_goes_on(const StageRun& run, std::size_t index);
  void drop_parent(const std::string& why);

  const Target& target_;
  const Baseline& baseline_;
  const TestBase& base_;
  const isolation::Limits& limits_;
  Lane& variant_;
  std::function<Result<Lane>()> open_parent_;
  std::optional<Lane> parent_;
  std::size_t parent_at_ = 0;  ///< the stage that the parent's lane runs next
};

}  // namespace instar::engine
