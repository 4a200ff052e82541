#include "engine/generators/turns.h"

#include <tuple>

#include "engine/generators/hashing.h"
#include "engine/generators/learning.h"

namespace instar::engine {

namespace {

/// Proposals at the best parent before others get a turn: most of its cheap edits.
constexpr std::uint64_t kStalled = 120;

std::uint64_t niche_of(const Parent& parent) {
  QuickHash hash;
  if (parent.evaluation != nullptr) {
    for (const auto& [id, outcome] : failing_of(*parent.evaluation)) {
      hash.add(id.stage).add(id.classname).add(id.name).add(static_cast<std::uint64_t>(outcome));
    }
  }
  return hash.finish() | 1U;
}

}  // namespace

Turns::One& Turns::known(const Parent& parent) {
  One& one = parents_[parent.id];
  if (one.niche == 0) one.niche = niche_of(parent);
  return one;
}

std::size_t Turns::first(const SearchState& state) {
  shared_ = state.population.size() > 1 && known(state.population.front()).drafts >= kStalled;
  return shared_ && shared_turns_ % 2 == 1 ? least_tried_other(state) : 0;
}

void Turns::drew(const std::string& parent) {
  ++parents_[parent].drafts;
  if (shared_) ++shared_turns_;
}

std::size_t Turns::least_tried_other(const SearchState& state) {
  std::map<std::uint64_t, std::uint64_t> drafts_in;
  for (const Parent& parent : state.population) {
    const One& one = known(parent);
    drafts_in[one.niche] += one.drafts;
  }
  std::size_t least = 1;
  const auto tried = [&](std::size_t i) {
    const One& one = known(state.population[i]);
    return std::tuple(drafts_in[one.niche], one.drafts);
  };
  for (std::size_t i = 2; i < state.population.size(); ++i) {
    if (tried(i) < tried(least)) least = i;
  }
  return least;
}

}  // namespace instar::engine
