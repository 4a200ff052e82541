#include "engine/evaluation/cell_evaluator.h"

#include <cerrno>
#include <exception>
#include <optional>

#include "base/text.h"
#include "engine/evaluation/assemble.h"
#include "engine/evaluation/base_files.h"
#include "engine/evaluation/base_runs.h"
#include "engine/evaluation/base_template.h"
#include "engine/evaluation/pairing.h"
#include "engine/evaluation/repeats.h"

namespace instar::engine {

namespace {

using checkpoints::FileMode;
using checkpoints::TreeId;

Evaluation ended(Verdict verdict, std::string reason) {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  evaluation.reason = std::move(reason);
  return evaluation;
}

/// What a workspace of the variant has other than the template, or why it cannot be made.
struct Changes {
  std::vector<isolation::FileChange> files;
  std::string refused;
};

Result<Changes> changes_of(checkpoints::CheckpointStore& store, const SealedFiles& sealed,
                           const TreeId& base, const TreeId& tree) {
  Changes changes;
  for (const checkpoints::TreeDelta& delta : INSTAR_TRY(store.diff(base, tree))) {
    const std::string& path = delta.path();
    // The edit window lets none of these in; a tree that comes another way must not be run either.
    if (path == kReservedDirectory || path.starts_with(std::string(kReservedDirectory) + "/")) {
      changes.refused = "it writes below " + std::string(kReservedDirectory);
    } else if (sealed.covers(path)) {
      changes.refused = "it changes " + escape_for_terminal(path) + ", which is sealed";
    } else if (delta.after && delta.after->mode != FileMode::kRegular &&
               delta.after->mode != FileMode::kExecutable) {
      changes.refused = escape_for_terminal(path) + " is not a regular file";
    }
    if (!changes.refused.empty()) return changes;
    isolation::FileChange file{.path = path, .content = std::nullopt, .executable = false};
    if (delta.after) {
      file.content = INSTAR_TRY(store.read(delta.after->blob));
      file.executable = delta.after->mode == FileMode::kExecutable;
    }
    changes.files.push_back(std::move(file));
  }
  return changes;
}

/// Whether a workspace could not be made because a change of the variant lies across what `prepare`
/// made: a file where it has a directory, or the other way round. A new workspace is empty and the
/// template is copied by its own names, so nothing but a change can meet something in its way.
bool changes_collide(const Error& error) {
  return error.sys_errno == EEXIST || error.sys_errno == ENOTDIR || error.sys_errno == EISDIR ||
         error.sys_errno == ELOOP;
}

class Evaluating final : public Evaluator {
 public:
  explicit Evaluating(const EvaluatorParts& parts) : parts_(parts) {}

  Result<Baseline> baseline(std::stop_token stop) override {
    INSTAR_CHECK(make_template(stop));
    const SealHabits nothing_allowed;
    LaneRules rules = rules_with(nothing_allowed);
    rules.learning = true;
    std::vector<Lane> lanes;
    for (std::size_t i = 0; i < kBaseRuns; ++i) {
      lanes.push_back(INSTAR_TRY(open_lane(rules, {}, 0)));
    }
    Baseline baseline = INSTAR_TRY(measure_base(parts_.target, limits(), lanes, stop));
    auto& notes = baseline.evaluation.notes;
    notes.insert(notes.end(), template_->notes().begin(), template_->notes().end());
    take(baseline);
    return baseline;
  }

  Result<void> adopt(Baseline baseline, std::stop_token stop) override {
    INSTAR_CHECK(make_template(stop));
    take(std::move(baseline));
    return {};
  }

  Evaluation evaluate(const EvaluationRequest& request, std::stop_token stop) override try {
    auto evaluation = attempt(request, std::move(stop));
    return evaluation ? std::move(*evaluation) : ended(Verdict::kInfra, evaluation.error().message);
  } catch (const std::exception& error) {
    return ended(Verdict::kInfra, error.what());
  }

 private:
  [[nodiscard]] const isolation::Limits& limits() const { return parts_.policy.cell; }

  Result<void> make_template(std::stop_token stop) {
    template_.reset();
    template_.emplace(INSTAR_TRY(BaseTemplate::make(parts_.target, limits(), parts_.store,
                                                    parts_.cells, parts_.base, std::move(stop))));
    return {};
  }

  void take(Baseline baseline) {
    tests_.outcomes = baseline.evaluation.tests;
    tests_.flaky = {baseline.flaky.begin(), baseline.flaky.end()};
    allowed_.created = {baseline.stage_created.begin(), baseline.stage_created.end()};
    allowed_.touched = {baseline.stage_touched.begin(), baseline.stage_touched.end()};
    baseline_ = std::move(baseline);
  }

  [[nodiscard]] LaneRules rules_with(const SealHabits& allowed) {
    return {.target = parts_.target,
            .limits = limits(),
            .cells = parts_.cells,
            .sealed = template_->sealed(),
            .allowed = allowed};
  }

  Result<Lane> open_lane(const LaneRules& rules, std::vector<isolation::FileChange> changes,
                         unsigned slot) {
    return Lane(rules,
                INSTAR_TRY(parts_.cells.open_workspace({.base = template_->path(),
                                                        .changes = std::move(changes),
                                                        .slot = slot,
                                                        .sealed = template_->sealed().paths(),
                                                        .limits = limits()})),
                slot);
  }

  Result<Evaluation> attempt(const EvaluationRequest& request, std::stop_token stop) {
    if (!baseline_) return fail(ErrorCode::kInternal, "no baseline was measured or adopted");
    Changes changes =
        INSTAR_TRY(changes_of(parts_.store, template_->sealed(), parts_.base, request.tree));
    if (!changes.refused.empty()) return ended(Verdict::kViolated, changes.refused);
    const LaneRules rules = rules_with(allowed_);
    const bool changed = !changes.files.empty();
    auto opened = open_lane(rules, std::move(changes.files), request.slot);
    if (!opened && changed && changes_collide(opened.error())) {
      return ended(Verdict::kFailed, "its files do not fit what `prepare` made: " +
                                         escape_for_terminal(opened.error().message));
    }
    Lane lane = INSTAR_TRY(std::move(opened));
    std::function<Result<Lane>()> open_parent;
    if (request.parent) {
      open_parent = [&]() -> Result<Lane> {
        Changes theirs =
            INSTAR_TRY(changes_of(parts_.store, template_->sealed(), parts_.base, *request.parent));
        return open_lane(rules, std::move(theirs.files), request.slot);
      };
    }
    Pairing pairing(parts_.target, *baseline_, tests_, limits(), lane, std::move(open_parent));
    return run_stages(request, pairing, std::move(stop));
  }

  Evaluation run_stages(const EvaluationRequest& request, Pairing& pairing, std::stop_token stop) {
    const auto so_far = [&](const std::vector<StageRun>& runs) {
      return assemble(parts_.target, runs, tests_, request.patch_lines, request.patch_files);
    };
    std::vector<StageRun> runs;
    for (std::size_t i = 0; i < parts_.target.evaluate.size(); ++i) {
      const unsigned repeats = repeats_of(parts_.target, parts_.target.evaluate[i]);
      const bool settled = repeats > 1 && request.parent_evaluation != nullptr &&
                           settled_before(parts_.target, i, so_far(runs).metrics,
                                          request.parent_evaluation->metrics);
      if (settled) {
        pairing.notes.push_back("stage " + parts_.target.evaluate[i].name +
                                " ran once: an earlier objective decides");
      }
      runs.push_back(repeats > 1 && !settled ? pairing.run_paired(i, repeats, stop)
                                             : pairing.run_once(i, stop));
      if (runs.back().verdict != Verdict::kPassed) break;
    }
    // The bill is ours: nothing that it says about the variant is kept.
    if (!runs.empty() && runs.back().verdict == Verdict::kInfra) {
      return ended(Verdict::kInfra, runs.back().reason);
    }
    Evaluation evaluation = so_far(runs);
    evaluation.samples = std::move(pairing.samples);
    evaluation.parent_samples = std::move(pairing.parent_samples);
    add_total_samples(parts_.target, evaluation.samples);
    add_total_samples(parts_.target, evaluation.parent_samples);
    evaluation.notes = std::move(pairing.notes);
    return evaluation;
  }

  EvaluatorParts parts_;
  std::optional<BaseTemplate> template_;
  std::optional<Baseline> baseline_;
  TestBase tests_;
  SealHabits allowed_;
};

}  // namespace

std::unique_ptr<Evaluator> make_cell_evaluator(const EvaluatorParts& parts) {
  return std::make_unique<Evaluating>(parts);
}

}  // namespace instar::engine
