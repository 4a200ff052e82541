#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "engine/config/policy.h"
#include "engine/config/target.h"
#include "engine/evaluation/evaluation.h"
#include "engine/run/acceptance.h"
#include "engine/run/breakers.h"
#include "engine/run/evaluation_pool.h"
#include "engine/run/observer.h"
#include "engine/run/population.h"
#include "engine/run/proposer.h"
#include "engine/run/run_state.h"
#include "engine/run/title_match.h"

namespace instar::engine {

/// What a run may use, after request and cap were compared.
struct RunLimits {
  std::uint64_t variants = 1000;  ///< evaluated ones
  bool variants_is_cap = true;    ///< the policy's cap, not the user's wish, sets it
  std::chrono::milliseconds wall{8LL * 3600 * 1000};
  bool wall_is_cap = true;
  std::optional<std::uint64_t> plateau;
  BreakerLimits breakers;
};

struct LoopConfig {
  RunIdentity identity;
  checkpoints::TreeId base_tree;
  std::uint64_t seed = 1;
  unsigned window = 16;
  unsigned jobs = 1;
  RunLimits limits;
  std::vector<Objective> objectives;
  bool noisy = false;                   ///< an objective is compared by statistics
  std::vector<PastRollback> rollbacks;  ///< on record, in their order
  std::uint64_t results_on_record = 0;  ///< judged in earlier stretches
  bool record_ended = false;            ///< the last stretch came to its end, it was not cut off
};

/// Ctrl-C once asks to drain, twice to kill.
struct RunControl {
  std::stop_token drain;
  std::stop_token kill;
};

/// The loop: propose, admit, run, judge, accept. Variant n is generated from the state after all
/// results up to n - window, and results are applied in order of n, so the outcome does not depend
/// on `jobs`.
class Loop {
 public:
  struct Dependencies {
    Proposer::Dependencies proposing;
    Evaluator& evaluator;
    const Clock& clock;
    RunObserver& observer;
  };
  Loop(LoopConfig config, Dependencies dependencies, const Baseline& baseline, RunControl control);

  /// To the end of the run. An Error is ours (a full disk, a broken ledger); what was accepted
  /// stays.
  Result<RunResult> run();

 private:
  struct InFlight {
    Variant variant;
    Counters counters;  ///< proposals up to this variant's admission
    std::uint64_t refusals_before = 0;
    unsigned attempt = 1;
    std::uint64_t infra_attempts = 0;
    std::optional<Evaluation> result;
    std::optional<std::int64_t> time_s;  ///< of the record: judged in an earlier stretch
  };
  struct End {
    Ended ended;
    std::optional<BreakerTrip> trip;
    const char* cap = "";  ///< the policy's key, with kCap
  };

  Result<void> fill();
  bool show_the_rest();
  [[nodiscard]] bool may_generate() const;
  [[nodiscard]] SearchState state_for_next();
  void show_results_up_to(std::uint64_t n);
  Result<void> start(InFlight& entry);
  void collect(EvaluationPool::Finished finished);
  Result<void> apply_in_order();
  Result<void> apply(InFlight& entry);
  void feed_breakers(const InFlight& entry);
  Result<void> take_rollbacks();
  Result<void> decide(InFlight& entry, const Decision& judged);
  Result<void> reject(const Variant& variant, const std::string& why);
  Result<bool> beats_champion(const InFlight& entry);
  Result<RunResult> finish();
  void check_interrupts();
  void count_proposals(const Counters& so_far);
  void report_progress();
  [[nodiscard]] double seconds() const;
  void end(Ended why, std::optional<BreakerTrip> trip = {}, const char* cap = "");

  LoopConfig config_;
  Dependencies deps_;
  RunControl control_;
  const Baseline& baseline_;
  std::vector<std::string> objective_names_;
  std::uint64_t on_record_ = 0;     ///< results applied that an earlier stretch measured
  std::vector<TestId> base_tests_;  ///< the order in which records tell outcomes
  Population population_;
  Breakers breakers_;
  Proposer proposer_;
  Acceptance acceptance_;
  EvaluationPool pool_;
  TitleMatch title_match_;
  std::chrono::steady_clock::time_point started_;

  std::map<std::uint64_t, InFlight> entries_;  ///< generated, not yet shown to the generator
  std::uint64_t next_n_ = 1;
  std::uint64_t applied_ = 0;  ///< results 1..applied_ are applied
  std::uint64_t shown_ = 0;    ///< results 1..shown_ are known to the generator
  std::uint64_t last_improvement_ = 0;
  std::size_t rollbacks_taken_ = 0;
  Counters counters_;
  std::optional<End> pending_;  ///< an end that waits for the results that are under way
  std::optional<End> ended_;
  bool ended_while_generating_ = false;  ///< what was proposed last ended it, no result
  bool asked_in_vain_ = false;           ///< the generator had nothing when it was asked last
};

}  // namespace instar::engine
