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

bool Pairing::bring_parent_to(std::size_t index, std::stop_token stop) {
  if (!parent_) {
    if (!open_parent_) return false;
    auto lane = open_parent_();
    if (!lane) {
      drop_parent(lane.error().message);
      return false;
    }
    parent_.emplace(std::move(*lane));
  }
  for (; parent_at_ < index; ++parent_at_) {
    const StageRun run = judged(*parent_, parent_at_, Place::kWorkspace, stop);
    if (run.verdict == Verdict::kPassed) continue;
    drop_parent("its parent ends in stage " + target_.evaluate[parent_at_].name);
    return false;
  }
  return true;
}

StageRun Pairing::run_paired(std::size_t index, unsigned repeats, std::stop_token stop) {
  bool with_parent = bring_parent_to(index, stop);
  Samples mine;
  Samples theirs;
  StageRun last;
  for (unsigned repeat = 0; repeat < repeats; ++repeat) {
    // The last one is done in the workspace itself: its files are what the next stage finds.
    const Place place = repeat + 1 == repeats ? Place::kWorkspace : Place::kCopy;
    const auto run_parent = [&] {
      if (!with_parent) return;
      const StageRun run = judged(*parent_, index, place, stop);
      add_samples(run, theirs);
      if (run.verdict == Verdict::kPassed) return;
      with_parent = false;
      drop_parent("its parent ends in stage " + target_.evaluate[index].name);
    };
    const bool variant_first = repeat % 2 == 0;
    if (!variant_first) run_parent();
    last = judged(variant_, index, place, stop);
    if (last.verdict != Verdict::kPassed) return last;
    add_samples(last, mine);
    if (variant_first) run_parent();
  }
  if (parent_) parent_at_ = index + 1;
  for (const auto& [name, values] : mine) last.metrics[name] = median(values);
  samples.merge(mine);
  if (with_parent) parent_samples.merge(theirs);
  return last;
}

}  // namespace instar::engine
