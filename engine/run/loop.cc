#include "engine/run/loop.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/evaluation/compare.h"
#include "engine/evaluation/evaluation_json.h"
#include "engine/run/judged_record.h"

namespace instar::engine {

namespace {

using std::chrono::milliseconds;

/// How long the loop sleeps at most before it looks at the clock again.
constexpr milliseconds kTick{200};

/// A variant is tried again once after a fault of ours; the breaker counts every fault.
constexpr unsigned kAttemptsPerStretch = 2;

std::int64_t seconds_of(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

Loop::Loop(LoopConfig config, Dependencies dependencies, const Baseline& baseline,
           RunControl control)
    : config_(std::move(config)),
      deps_(std::move(dependencies)),
      control_(std::move(control)),
      baseline_(baseline),
      objective_names_(objective_names(config_.objectives)),
      base_tests_(base_test_ids(baseline)),
      population_(config_.objectives, config_.base_tree, baseline.evaluation),
      breakers_(config_.limits.breakers),
      proposer_(deps_.proposing, config_.seed, config_.base_tree),
      acceptance_(config_.identity, deps_.proposing.store, deps_.proposing.journal),
      pool_(deps_.evaluator, std::max(1U, std::min(config_.jobs, config_.window))),
      title_match_(deps_.proposing.journal, deps_.evaluator, base_tests_, pool_.slots()),
      started_(deps_.clock.steady()) {}

Result<RunResult> Loop::run() {
  const std::stop_callback on_drain(control_.drain, [this] { pool_.wake(); });
  const std::stop_callback on_kill(control_.kill, [this] { pool_.wake(); });
  INSTAR_CHECK(pool_.start());
  if (solved(config_.objectives, baseline_.evaluation.metrics)) end(Ended::kSolved);

  while (!ended_) {
    INSTAR_CHECK(fill());
    INSTAR_CHECK(apply_in_order());
    if (ended_) break;
    if (pending_ && applied_ + 1 == next_n_) {
      ended_ = pending_;
      ended_while_generating_ = true;
      break;
    }
    if (pool_.in_flight() == 0) continue;
    if (auto finished = pool_.wait(kTick)) collect(*std::move(finished));
    report_progress();
  }
  return finish();
}

void Loop::check_interrupts() {
  // What is on record is done again first: whenever this stretch stops, its champion and its
  // counters are those of the whole run.
  if (applied_ < config_.results_on_record) return;
  if (control_.kill.stop_requested()) return end(Ended::kInterrupted);
  if (control_.drain.stop_requested() && !pending_) pending_ = End{Ended::kInterrupted, {}};
  if (deps_.clock.steady() - started_ >= config_.limits.wall) {
    end(config_.limits.wall_is_cap ? Ended::kCap : Ended::kWall, {}, "run.wall");
  }
}

bool Loop::may_generate() const {
  if (pending_ || ended_ || pool_.in_flight() >= pool_.slots()) return false;
  if (asked_in_vain_ && applied_ + 1 < next_n_) return false;
  // With every result up to n - window applied, and no result beyond the window waiting for one
  // before it.
  return next_n_ <= applied_ + config_.window;
}

/// What is under way when the generator has nothing may still give a new parent: everything is
/// applied and shown before the last word. False when it had nothing then either.
bool Loop::show_the_rest() {
  asked_in_vain_ = false;
  if (shown_ + 1 == next_n_) {
    pending_ = End{Ended::kExhausted, {}};
    return false;
  }
  show_results_up_to(applied_);
  return true;
}

Result<void> Loop::fill() {
  for (;;) {
    check_interrupts();
    if (!may_generate()) return {};
    if (next_n_ > config_.limits.variants) {
      pending_ =
          End{config_.limits.variants_is_cap ? Ended::kCap : Ended::kVariants, {}, "run.variants"};
      return {};
    }
    if (asked_in_vain_ && !show_the_rest()) return {};
    auto step = INSTAR_TRY(proposer_.next(next_n_, state_for_next(), breakers_));
    if (step.trip) {
      pending_ = End{Ended::kBreaker, std::move(step.trip)};
      return {};
    }
    asked_in_vain_ = step.exhausted;
    if (!step.variant) continue;
    InFlight entry{.variant = *std::move(step.variant),
                   .counters = proposer_.tally(),
                   .refusals_before = proposer_.refusals_before_last(),
                   .attempt = 1,
                   .infra_attempts = 0,
                   .result = {},
                   .time_s = {}};
    const auto [where, inserted] = entries_.emplace(next_n_, std::move(entry));
    ++next_n_;
    INSTAR_CHECK(start(where->second));
    // A result on record costs nothing: it is applied at once, so that a resumed run does not pile
    // up variants.
    if (where->second.result) INSTAR_CHECK(apply_in_order());
  }
}

/// What the next proposal is made from. A rollback comes between the same two proposals whenever
/// the run is done again; all results before it are on record, so they are applied by then.
SearchState Loop::state_for_next() {
  const std::uint64_t proposal = proposer_.tally().generated + 1;
  if (next_n_ > config_.window) show_results_up_to(next_n_ - config_.window);
  for (std::size_t i = 0; i < rollbacks_taken_; ++i) {
    const PastRollback& rollback = config_.rollbacks[i];
    if (rollback.proposals < proposal) show_results_up_to(rollback.results);
  }
  return population_.visible(shown_, proposal);
}

void Loop::show_results_up_to(std::uint64_t n) {
  while (shown_ < n) {
    ++shown_;
    const auto entry = entries_.find(shown_);
    const InFlight& shown = entry->second;
    const Accepted* accepted = population_.find(shown.variant.id);
    deps_.proposing.generator.observe({.proposal = &shown.variant.proposal,
                                       .fate = accepted != nullptr ? "accepted" : "rejected",
                                       .evaluation = &*shown.result});
    entries_.erase(entry);
  }
}

Result<void> Loop::start(InFlight& entry) {
  Journal& journal = deps_.proposing.journal;
  const Variant& variant = entry.variant;
  if (const auto judged = journal.find("judged", variant.id)) {
    JudgedRecord record = INSTAR_TRY(read_judged(*judged, base_tests_));
    entry.attempt = record.attempt;
    entry.infra_attempts = record.infra_attempts;
    entry.time_s = record.time_s;
    entry.result = std::move(record.evaluation);
    return {};
  }
  // An attempt without a verdict was cut off by a crash: it is closed, and the variant runs again
  // as a new attempt.
  auto attempt_id = [&] { return variant.id + "." + std::to_string(entry.attempt); };
  while (journal.find("running", attempt_id())) {
    INSTAR_TRY(journal.record("abandoned", attempt_id(), {{"variant", variant.id}}));
    ++entry.attempt;
  }
  INSTAR_TRY(
      journal.record("running", attempt_id(),
                     {{"n", variant.n}, {"variant", variant.id}, {"attempt", entry.attempt}}));
  EvaluationRequest request{.tree = variant.tree,
                            .parent = config_.base_tree,
                            .parent_evaluation = population_.evaluation_of(variant.proposal.parent),
                            .patch_lines = variant.patch_lines,
                            .patch_files = variant.patch_files,
                            .slot = 0};
  if (const Accepted* parent = population_.find(variant.proposal.parent)) {
    request.parent = parent->variant.tree;
  }
  pool_.submit(variant.n, request);
  return {};
}

void Loop::collect(EvaluationPool::Finished finished) {
  InFlight& entry = entries_.at(finished.n);
  entry.result = std::move(finished.evaluation);
  bound_added_tests(*entry.result, base_tests_);
}

Result<void> Loop::apply_in_order() {
  while (!ended_) {
    const auto next = entries_.find(applied_ + 1);
    if (next == entries_.end() || !next->second.result) return {};
    InFlight& entry = next->second;
    if (!entry.time_s && entry.result->verdict == Verdict::kInfra) {
      ++entry.infra_attempts;
      if (entry.infra_attempts < kAttemptsPerStretch &&
          entry.infra_attempts < config_.limits.breakers.infra) {
        INSTAR_TRY(deps_.proposing.journal.record(
            "infra", entry.variant.id + "." + std::to_string(entry.attempt),
            {{"variant", entry.variant.id}, {"reason", entry.result->reason}}));
        entry.result.reset();
        ++entry.attempt;
        return start(entry);
      }
    }
    INSTAR_CHECK(apply(entry));
    INSTAR_CHECK(take_rollbacks());
  }
  return {};
}

/// Does the rollbacks that came when just these results were applied. What ended the run then, by
/// the champion or by the lack of a better one, is no reason any more.
Result<void> Loop::take_rollbacks() {
  while (rollbacks_taken_ < config_.rollbacks.size() &&
         config_.rollbacks[rollbacks_taken_].results == applied_) {
    const Accepted* before = population_.champion();
    population_.roll_back(config_.rollbacks[rollbacks_taken_++]);
    const Accepted* champion = population_.champion();
    if (before == nullptr || champion == nullptr) {
      return fail(ErrorCode::kIntegrity, "a rollback on record is to no accepted variant",
                  "`instar verify` checks the whole run");
    }
    INSTAR_CHECK(acceptance_.repeat_rollback(rollbacks_taken_, champion->commit, before->commit));
    last_improvement_ = applied_;
    if (ended_ && (ended_->ended == Ended::kSolved || ended_->ended == Ended::kPlateau)) {
      ended_.reset();
    }
    if (!ended_ && solved(config_.objectives, champion->evaluation.metrics)) {
      end(Ended::kSolved);
    }
  }
  return {};
}

Result<void> Loop::apply(InFlight& entry) {
  Journal& journal = deps_.proposing.journal;
  const Evaluation& evaluation = *entry.result;
  ++applied_;
  count_proposals(entry.counters);
  counters_.infra += evaluation.verdict == Verdict::kInfra ? 1 : 0;
  counters_.evaluated += evaluation.verdict == Verdict::kInfra ? 0 : 1;
  on_record_ += entry.time_s ? 1 : 0;
  counters_.passed += evaluation.verdict == Verdict::kPassed ? 1 : 0;
  counters_.violated += evaluation.verdict == Verdict::kViolated ? 1 : 0;
  counters_.timeout += evaluation.verdict == Verdict::kTimeout ? 1 : 0;

  // The commit takes its time from this line, so that a replay makes the same commit.
  const JudgedRecord judged{.attempt = entry.attempt,
                            .infra_attempts = entry.infra_attempts,
                            .time_s = entry.time_s.value_or(seconds_of(deps_.clock.now())),
                            .evaluation = evaluation};
  const auto position = INSTAR_TRY(journal.record(
      "judged", entry.variant.id, judged_fields(entry.variant, judged, base_tests_)));
  INSTAR_CHECK(decide(
      entry, {.variant = &entry.variant,
              .evaluation = &evaluation,
              .parent_commit = config_.identity.base_commit,
              .why = {},
              .judged = position,
              .time = std::chrono::system_clock::time_point(std::chrono::seconds(judged.time_s))}));
  if (ended_) return {};
  feed_breakers(entry);
  if (!ended_ && config_.limits.plateau &&
      applied_ - last_improvement_ >= *config_.limits.plateau) {
    end(Ended::kPlateau);
  }
  return {};
}

/// A trip that ended an earlier stretch ends no other: whoever resumes has seen it. The faults are
/// counted anew from there.
void Loop::feed_breakers(const InFlight& entry) {
  auto trip = breakers_.after_result(entry.refusals_before, entry.result->verdict,
                                     entry.infra_attempts, entry.result->reason);
  if (!trip) return;
  const bool seen = applied_ < config_.results_on_record ||
                    (applied_ == config_.results_on_record && entry.time_s && config_.record_ended);
  if (seen) {
    breakers_ = Breakers(config_.limits.breakers);
  } else {
    end(Ended::kBreaker, std::move(trip));
  }
}

Result<void> Loop::decide(InFlight& entry, const Decision& judged) {
  const Variant& variant = entry.variant;
  if (!population_.holds(variant.proposal.parent)) {
    return reject(variant, "its parent was left behind by a rollback");
  }
  const Evaluation* parent_evaluation = population_.evaluation_of(variant.proposal.parent);
  const Comparison comparison = compare(config_.objectives, *entry.result, *parent_evaluation);
  if (comparison.result != Comparison::Result::kBetter) {
    return reject(variant, comparison.detail);
  }

  const bool improves = INSTAR_TRY(beats_champion(entry));
  Decision decision = judged;
  decision.why = comparison.detail;
  if (const Accepted* parent = population_.find(variant.proposal.parent)) {
    decision.parent_commit = parent->commit;
  }
  const auto commit = INSTAR_TRY(acceptance_.commit(decision));
  const Accepted* champion = population_.champion();
  if (improves) {
    INSTAR_CHECK(acceptance_.crown(
        variant, commit, champion == nullptr ? std::nullopt : std::optional(champion->commit)));
    last_improvement_ = applied_;
  }
  population_.accept({.variant = variant, .commit = commit, .evaluation = *entry.result}, improves);
  ++counters_.accepted;
  // What an earlier stretch measured was told then.
  if (!entry.time_s) {
    deps_.observer.on_accepted(*population_.find(variant.id), comparison.detail);
  }
  if (improves && solved(config_.objectives, entry.result->metrics)) end(Ended::kSolved);
  return {};
}

Result<void> Loop::reject(const Variant& variant, const std::string& why) {
  INSTAR_TRY(deps_.proposing.journal.record("rejected", variant.id,
                                            {{"variant", variant.id}, {"why", why}}));
  deps_.proposing.store.forget(variant.tree);
  return {};
}

/// A variant that beats its parent may still be no better than a champion found meanwhile.
Result<bool> Loop::beats_champion(const InFlight& entry) {
  const Accepted* champion = population_.champion();
  if (champion == nullptr || champion->variant.id == entry.variant.proposal.parent) return true;
  const Evaluation challenger =
      config_.noisy ? INSTAR_TRY(title_match_.hold(entry.variant, *champion, control_.kill))
                    : *entry.result;
  return compare(config_.objectives, challenger, champion->evaluation).result ==
         Comparison::Result::kBetter;
}

void Loop::count_proposals(const Counters& so_far) {
  counters_.generated = so_far.generated;
  counters_.refused = so_far.refused;
  counters_.duplicate = so_far.duplicate;
}

void Loop::end(Ended why, std::optional<BreakerTrip> trip, const char* cap) {
  ended_ = End{why, std::move(trip), cap};
}

double Loop::seconds() const {
  return std::chrono::duration<double>(deps_.clock.steady() - started_).count();
}

void Loop::report_progress() {
  deps_.observer.on_progress(
      {.counters = counters_,
       .limit = config_.limits.variants,
       .champion = population_.champion(),
       .baseline = &baseline_.evaluation.metrics,
       .objectives = &objective_names_,
       .on_record = on_record_,
       .seconds = seconds(),
       .wall_s = std::chrono::duration<double>(config_.limits.wall).count()});
}

Result<RunResult> Loop::finish() {
  pool_.cancel();
  Journal& journal = deps_.proposing.journal;
  for (const auto& [n, entry] : entries_) {
    if (n <= applied_) continue;
    const std::string attempt = entry.variant.id + "." + std::to_string(entry.attempt);
    INSTAR_TRY(journal.record("abandoned", attempt, {{"variant", entry.variant.id}}));
  }
  // Proposals that gave nothing belong to the count where they, or the lack of more, are the end.
  const bool trailing_count = ended_->ended == Ended::kExhausted || ended_->trip.has_value();
  if (ended_while_generating_ && trailing_count) count_proposals(proposer_.tally());
  RunResult result{.run = config_.identity.run,
                   .ended = ended_->ended,
                   .solved = false,
                   .breaker = ended_->trip,
                   .cap = ended_->ended == Ended::kCap ? ended_->cap : "",
                   .counters = counters_,
                   .champion = {},
                   .baseline = baseline_.evaluation.metrics,
                   .objectives = objective_names_,
                   .seconds = seconds()};
  const Accepted* champion = population_.champion();
  if (champion != nullptr) result.champion = *champion;
  result.solved = solved(config_.objectives, champion != nullptr ? champion->evaluation.metrics
                                                                 : baseline_.evaluation.metrics);
  report_progress();
  return result;
}

}  // namespace instar::engine
