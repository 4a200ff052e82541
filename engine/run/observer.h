#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/run/run_state.h"

namespace instar::engine {

/// What a run looks like at a moment, for the progress line.
struct RunProgress {
  Counters counters;
  std::uint64_t limit = 0;  ///< variants that may be evaluated
  const Accepted* champion = nullptr;
  const Metrics* baseline = nullptr;
  const std::vector<std::string>* objectives = nullptr;  ///< their metrics, the first decides first
  std::uint64_t on_record = 0;  ///< of the evaluated ones, those that an earlier stretch evaluated
  double seconds = 0;           ///< of this stretch
  double wall_s = 0;            ///< that it may take
};

/// Told of the steps of a run as they happen; draws, never decides.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// "preparing the base", "running the base three times", and what the user should know.
  virtual void on_phase(const std::string& /*what*/) {}
  virtual void on_progress(const RunProgress& /*progress*/) {}
  /// Of what this stretch measured: a replay of what is on record is no news.
  virtual void on_accepted(const Accepted& /*accepted*/, const std::string& /*why*/) {}
};

}  // namespace instar::engine
