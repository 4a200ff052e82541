#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoints/object_id.h"
#include "engine/config/target.h"
#include "engine/evaluation/evaluation.h"
#include "engine/run/variant.h"

namespace instar::engine {

/// What a run counts. Covers the proposals and results up to the one that ended the run, whatever
/// `--jobs` was.
struct Counters {
  std::uint64_t generated = 0;
  std::uint64_t refused = 0;
  std::uint64_t duplicate = 0;
  std::uint64_t evaluated = 0;
  std::uint64_t passed = 0;
  std::uint64_t accepted = 0;
  std::uint64_t violated = 0;
  std::uint64_t timeout = 0;
  std::uint64_t infra = 0;
  bool operator==(const Counters&) const = default;
};

/// The metrics of objectives, in their order.
std::vector<std::string> objective_names(const std::vector<Objective>& objectives);

/// Why a run ended.
enum class Ended { kSolved, kVariants, kWall, kPlateau, kExhausted, kCap, kBreaker, kInterrupted };
std::string_view to_string(Ended ended);

/// A rule that stopped the run.
struct BreakerTrip {
  std::string rule;  ///< "stuck", "violations", "infra"
  std::uint64_t count = 0;
  std::string detail;  ///< the last fault, for a person
};

/// An accepted variant.
struct Accepted {
  Variant variant;
  checkpoints::CommitId commit;
  Evaluation evaluation;
};

/// A rollback on record, as an event of the search: between which two results, and between which
/// two proposals. A run that goes on after it comes to it at the same place.
struct PastRollback {
  std::string variant;          ///< the champion after it
  std::uint64_t results = 0;    ///< applied before it
  std::uint64_t proposals = 0;  ///< made before it
};

/// How a run ended, as `evolve --json` tells it.
struct RunResult {
  std::string run;
  Ended ended = Ended::kExhausted;
  bool solved = false;
  std::optional<BreakerTrip> breaker;
  std::string cap;  ///< with kCap: the policy's key
  Counters counters;
  std::optional<Accepted> champion;  ///< nothing when unchanged
  Metrics baseline;
  std::vector<std::string> objectives;  ///< their metrics, the first decides first
  double seconds = 0;                   ///< of this stretch
};

}  // namespace instar::engine
