#include "engine/generators/mutate.h"

#include <algorithm>

#include "engine/generators/description.h"
#include "engine/generators/hashing.h"
#include "engine/syntax/language.h"

namespace instar::engine {

namespace {

/// Which proposal an answer is for: the same edit of the same parent is never proposed twice.
std::uint64_t key_of(const Proposal& proposal) {
  QuickHash hash;
  hash.add(proposal.parent);
  for (const Edit& edit : proposal.edits) {
    if (const auto* one = std::get_if<SyntaxEdit>(&edit)) {
      hash.add(one->path).add(one->begin).add(one->end).add(one->replacement);
    }
  }
  return hash.finish();
}

Proposal proposal_of(const Parent& parent, const EditDraft& draft) {
  const Candidate& candidate = draft.candidate;
  const std::string_view text = draft.file->tree().text();
  Proposal made;
  made.parent = parent.id;
  made.edits.emplace_back(SyntaxEdit{
      .path = draft.path,
      .begin = candidate.begin,
      .end = candidate.end,
      .expected = std::string(text.substr(candidate.begin, candidate.end - candidate.begin)),
      .replacement = candidate.text});
  made.purpose = describe_purpose(draft);
  made.provenance = {.generator = "mutate",
                     .family = std::string(families()[draft.family]->name),
                     .fingerprint = fingerprint_of(draft)};
  return made;
}

}  // namespace

MutateGenerator::MutateGenerator(checkpoints::CheckpointStore& store,
                                 std::function<bool(const std::string& path)> may_change,
                                 std::uint64_t seed)
    : store_(&store),
      may_change_(std::move(may_change)),
      seed_(seed),
      workshop_{SourceCache(store), {}, {}, {}, true} {}

bool MutateGenerator::is_source(const checkpoints::TreeEntry& entry) const {
  const bool file = entry.mode == checkpoints::FileMode::kRegular ||
                    entry.mode == checkpoints::FileMode::kExecutable;
  return file && language_for(entry.path) != nullptr && may_change_(entry.path);
}

Result<std::vector<checkpoints::TreeEntry>> MutateGenerator::files_of(const Parent& parent,
                                                                      const Parent& base) {
  if (!base_listed_) {
    for (auto& entry : INSTAR_TRY(store_->list(base.tree))) {
      if (is_source(entry)) base_files_.push_back(std::move(entry));
    }
    base_listed_ = true;
  }
  // Later parents cost what they changed, not what the repository has.
  std::map<std::string, checkpoints::TreeEntry> files;
  for (const auto& entry : base_files_) files.emplace(entry.path, entry);
  for (const auto& delta : INSTAR_TRY(store_->diff(base.tree, parent.tree))) {
    files.erase(delta.path());
    if (delta.after && is_source(*delta.after)) files.emplace(delta.path(), *delta.after);
  }
  std::vector<checkpoints::TreeEntry> made;
  for (auto& [path, entry] : files) made.push_back(std::move(entry));
  return made;
}

Result<MutateGenerator::Seen*> MutateGenerator::seen(const Parent& parent, const Parent& base) {
  if (const auto found = seen_.find(parent.id); found != seen_.end()) return &found->second;
  Failing failing;
  if (parent.evaluation != nullptr) failing = failing_of(*parent.evaluation);
  workshop_.learning.hear_of_failing(failing);
  auto files = INSTAR_TRY(files_of(parent, base));
  const auto number = static_cast<std::uint32_t>(seen_.size());
  const auto made = seen_.emplace(
      parent.id, Seen{Frontier(number, std::move(files), seed_), std::move(failing), false});
  return &made.first->second;
}

Result<std::optional<EditDraft>> MutateGenerator::draft_at(Seen& one) {
  while (one.gains < gains_.size()) {
    auto repeated = INSTAR_TRY(one.frontier.repeat(gains_[one.gains++], workshop_));
    if (repeated) return repeated;
  }
  if (one.exhausted) return std::optional<EditDraft>{};
  auto draft = INSTAR_TRY(one.frontier.next(workshop_));
  one.exhausted = !draft.has_value();
  return draft;
}

Result<std::optional<Proposal>> MutateGenerator::next(const SearchState& state, RandomStream) {
  const std::size_t first = turns_.first(state);
  for (std::size_t i = 0; i < state.population.size(); ++i) {
    const std::size_t at = (first + i) % state.population.size();
    const Parent& parent = state.population[at];
    workshop_.leading = at == 0;
    Seen* one = INSTAR_TRY(seen(parent, state.population.back()));
    const auto draft = INSTAR_TRY(draft_at(*one));
    if (!draft) continue;
    turns_.drew(parent.id);
    Proposal made = proposal_of(parent, *draft);
    in_flight_[key_of(made)] = {
        parent.id, {draft->path, draft->family, draft->place, draft->function}, workshop_.leading};
    return std::optional(std::move(made));
  }
  return std::optional<Proposal>{};
}

void MutateGenerator::observe(const Feedback& feedback) {
  if (feedback.proposal == nullptr) return;
  const auto found = in_flight_.find(key_of(*feedback.proposal));
  if (found == in_flight_.end()) return;
  const InFlight told = std::move(found->second);
  in_flight_.erase(found);
  const auto parent = seen_.find(told.parent);
  if (feedback.evaluation == nullptr || parent == seen_.end()) return;
  const bool accepted = feedback.fate == "accepted";
  if (accepted) gains_.push_back(told.edit);
  // That an edit gained nothing elsewhere says little about the place where the search stands.
  if (!accepted && !told.leading) return;
  workshop_.learning.observe(told.edit.family, told.edit.function,
                             effect_of(parent->second.failing, *feedback.evaluation, accepted));
}

}  // namespace instar::engine
