#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "checkpoints/store.h"
#include "engine/evaluation/evaluation.h"
#include "engine/generators/generator.h"
#include "engine/run/journal.h"

namespace instar::engine::testing {

/// Records in memory. `earlier` holds the records of an earlier stretch, as a resumed run finds
/// them.
class MemoryJournal final : public Journal {
 public:
  struct Entry {
    std::string type;
    std::string id;
    nlohmann::json fields;
    bool operator==(const Entry&) const = default;
  };

  Result<checkpoints::LedgerPosition> record(std::string_view type, const std::string& id,
                                             const nlohmann::json& fields) override {
    checkpoints::LedgerPosition position;
    for (const Entry& entry : earlier) {
      ++position.seq;
      if (entry.type != type || entry.id != id) continue;
      if (entry.fields == fields) return position;
      return fail(ErrorCode::kIntegrity, "differs: " + std::string(type) + " " + id);
    }
    entries.push_back({std::string(type), id, fields});
    position.seq += entries.size();
    return position;
  }
  [[nodiscard]] std::optional<nlohmann::json> find(std::string_view type,
                                                   const std::string& id) const override {
    for (const Entry& entry : earlier) {
      if (entry.type == type && entry.id == id) return entry.fields;
    }
    return std::nullopt;
  }
  /// The store of a test begins empty, so every effect is repeated.
  [[nodiscard]] bool superseded(std::string_view /*type*/,
                                const std::string& /*id*/) const override {
    return false;
  }
  Result<void> sync() override { return {}; }
  Result<void> keep_patch(const std::string&, std::string) override { return {}; }

  /// The decisions in order: what must not depend on the number of jobs.
  [[nodiscard]] std::vector<Entry> decisions() const {
    std::vector<Entry> all;
    for (const Entry& entry : entries) {
      if (entry.type == "judged" || entry.type == "accepted" || entry.type == "rejected" ||
          entry.type == "champion") {
        all.push_back(entry);
      }
    }
    return all;
  }

  std::vector<Entry> earlier;
  std::vector<Entry> entries;
};

/// The program of these tests is one number in `src/n`; its fault is the distance to `goal`.
class NumberEvaluator final : public Evaluator {
 public:
  NumberEvaluator(checkpoints::CheckpointStore& store, long goal) : store_(store), goal_(goal) {}

  Result<Baseline> baseline(std::stop_token) override {
    return fail(ErrorCode::kInternal, "unused");
  }
  Result<void> adopt(Baseline, std::stop_token) override { return {}; }

  Evaluation evaluate(const EvaluationRequest& request, std::stop_token stop) override {
    ++evaluations;
    // Results come back in an order of their own.
    RandomStream jitter(7, "jitter", static_cast<std::uint64_t>(evaluations));
    for (std::uint64_t i = jitter.below(200); i > 0 && !stop.stop_requested(); --i) {
      std::this_thread::yield();
    }
    if (request.slot == broken_slot) {
      Evaluation fault;
      fault.reason = "no disk";
      return fault;
    }
    return show(request.tree, request.patch_lines);
  }

  Evaluation show(const checkpoints::TreeId& tree, std::uint64_t patch_lines) {
    Evaluation evaluation;
    const auto entry = store_.find(tree, "src/n");
    const long value = std::stol(store_.read((*entry)->blob).value());
    if (const auto forced = verdicts.find(value); forced != verdicts.end()) {
      evaluation.verdict = forced->second;
      evaluation.reason = "forced";
      return evaluation;
    }
    const double failed = static_cast<double>(std::labs(value - goal_));
    evaluation.metrics = {{"tests.failed", failed},
                          {"patch.lines", static_cast<double>(patch_lines)}};
    evaluation.verdict = failed == 0 ? Verdict::kPassed : Verdict::kFailed;
    for (int i = 0; i < added_tests; ++i) {
      evaluation.tests[{"s", "", "added " + std::to_string(i)}] = TestOutcome::kFailed;
    }
    return evaluation;
  }

  std::optional<unsigned> broken_slot;  ///< whose cells cannot be made
  int added_tests = 0;                  ///< that every variant reports beside those of the base
  std::map<long, Verdict> verdicts;     ///< values whose evaluation ends in another way
  std::atomic<long> evaluations{0};

 private:
  checkpoints::CheckpointStore& store_;
  long goal_;
};

/// Proposes to add one of `steps` to the number of the best parent, drawn at random; `script`
/// overrides.
class NumberGenerator final : public Generator {
 public:
  explicit NumberGenerator(checkpoints::CheckpointStore& store) : store_(store) {}
  [[nodiscard]] std::string name() const override { return "number"; }

  Result<std::optional<Proposal>> next(const SearchState& state, RandomStream random) override {
    ++calls;
    if (limit-- == 0) {
      limit = 0;
      return std::optional<Proposal>();
    }
    const Parent& parent = state.population.front();
    const auto entry = store_.find(parent.tree, "src/n");
    const long value = std::stol(store_.read((*entry)->blob).value());
    const long step = steps[random.below(steps.size())];
    Proposal proposal;
    proposal.parent = parent.id;
    proposal.edits = {WholeFile{path, std::to_string(value + step) + "\n"}};
    proposal.purpose = "add " + std::to_string(step);
    proposal.provenance = {"number", "step", std::to_string(step)};
    return std::optional(std::move(proposal));
  }
  static std::vector<long> range(long from, long to) {
    std::vector<long> all;
    for (long step = from; step <= to; ++step) {
      if (step != 0) all.push_back(step);
    }
    return all;
  }
  void observe(const Feedback& feedback) override { observed.push_back(feedback.fate); }

  std::string path = "src/n";
  std::vector<long> steps = range(-10, 60);
  std::uint64_t limit = 100000;
  std::uint64_t calls = 0;  ///< of next
  std::vector<std::string> observed;

 private:
  checkpoints::CheckpointStore& store_;
};

}  // namespace instar::engine::testing
