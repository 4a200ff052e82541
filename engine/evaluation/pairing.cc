#include "engine/evaluation/pairing.h"

#include "engine/evaluation/rank_test.h"

namespace instar::engine {

namespace {

void add_samples(const StageRun& run, Samples& samples) {
  for (const auto& [name, value] : run.metrics) samples[name].push_back(value);
}

}  // namespace

StageRun Pairing::judged(Lane& lane, std::size_t index, Place place, std::stop_token stop) {
  const Stage& stage = target_.evaluate[index];
  const StageDeadline deadline = stage_deadline(stage, limits_, &baseline_);
  StageRun run = place == Place::kCopy ? lane.run_in_copy(stage, deadline, std::move(stop))
                                       : lane.run(stage, deadline, std::move(stop));
  judge_against_base(stage, run, base_);
  return run;
}

StageRun Pairing::run_once(std::size_t index, std::stop_token stop) {
  return judged(variant_, index, Place::kWorkspace, std::move(stop));
}

void Pairing::drop_parent(const std::string& why) {
  notes.push_back("not compared with its parent on time: " + why);
  parent_.reset();
  open_parent_ = nullptr;
}

Result<bool> Pairing::parent_goes_on(const StageRun& run, std::size_t index) {
  if (run.verdict == Verdict::kPassed) return true;
  if (run.verdict == Verdict::kInfra) {
    return fail(ErrorCode::kIo, "its parent could not be measured: " + run.reason);
  }
  drop_parent("its parent ends in stage " + target_.evaluate[index].name);
  return false;
}

Result<bool> Pairing::bring_parent_to(std::size_t index, std::stop_token stop) {
  if (!parent_) {
    if (!open_parent_) return false;
    parent_.emplace(INSTAR_TRY(open_parent_()));
  }
  for (; parent_at_ < index; ++parent_at_) {
    const StageRun run = judged(*parent_, parent_at_, Place::kWorkspace, stop);
    if (!INSTAR_TRY(parent_goes_on(run, parent_at_))) return false;
  }
  return true;
}

StageRun Pairing::run_paired(std::size_t index, unsigned repeats, std::stop_token stop) {
  Result<bool> with_parent = bring_parent_to(index, stop);
  Samples mine;
  Samples theirs;
  StageRun last;
  for (unsigned repeat = 0; repeat < repeats; ++repeat) {
    // The last one is done in the workspace itself: its files are what the next stage finds.
    const Place place = repeat + 1 == repeats ? Place::kWorkspace : Place::kCopy;
    const auto run_parent = [&] {
      if (!with_parent || !*with_parent) return;
      const StageRun run = judged(*parent_, index, place, stop);
      add_samples(run, theirs);
      with_parent = parent_goes_on(run, index);
    };
    const bool variant_first = repeat % 2 == 0;
    if (!variant_first) run_parent();
    if (!with_parent) return infra_run(with_parent.error().message);
    last = judged(variant_, index, place, stop);
    if (last.verdict != Verdict::kPassed) return last;
    add_samples(last, mine);
    if (variant_first) run_parent();
    if (!with_parent) return infra_run(with_parent.error().message);
  }
  if (parent_) parent_at_ = index + 1;
  for (const auto& [name, values] : mine) last.metrics[name] = median(values);
  samples.merge(mine);
  if (*with_parent) parent_samples.merge(theirs);
  return last;
}

}  // namespace instar::engine
