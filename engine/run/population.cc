#include "engine/run/population.h"

#include <algorithm>

namespace instar::engine {

Population::Population(std::vector<Objective> objectives, checkpoints::TreeId base_tree,
                       Evaluation base_evaluation)
    : objectives_(std::move(objectives)),
      base_tree_(base_tree),
      base_(std::move(base_evaluation)) {}

void Population::accept(Accepted accepted, bool becomes_champion) {
  members_.push_back(std::make_unique<Member>(Member{std::move(accepted), becomes_champion}));
}

const Accepted* Population::champion() const {
  const auto last = std::find_if(members_.rbegin(), members_.rend(),
                                 [](const auto& member) { return member->was_champion; });
  return last == members_.rend() ? nullptr : &(*last)->accepted;
}

const Accepted* Population::find(const std::string& id) const {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const auto& member) {
    return member->accepted.variant.id == id;
  });
  return found == members_.end() ? nullptr : &(*found)->accepted;
}

const Evaluation* Population::evaluation_of(const std::string& parent) const {
  if (parent == kBaseId) return &base_;
  const Accepted* accepted = find(parent);
  return accepted == nullptr ? nullptr : &accepted->evaluation;
}

bool Population::ranks_before(const Evaluation& a, const Evaluation& b) const {
  for (const Objective& objective : objectives_) {
    const auto in_a = a.metrics.find(objective.metric);
    const auto in_b = b.metrics.find(objective.metric);
    const bool has_a = in_a != a.metrics.end();
    const bool has_b = in_b != b.metrics.end();
    if (has_a != has_b) return has_a;
    if (!has_a || in_a->second == in_b->second) continue;
    const bool less = in_a->second < in_b->second;
    return objective.goal == Objective::Goal::kMinimize ? less : !less;
  }
  return false;
}

SearchState Population::visible(std::uint64_t up_to) const {
  std::vector<const Member*> seen;
  const Member* champion = nullptr;
  for (const auto& member : members_) {
    if (member->accepted.variant.n > up_to) continue;
    seen.push_back(member.get());
    if (member->was_champion) champion = member.get();
  }
  std::stable_sort(seen.begin(), seen.end(), [&](const Member* a, const Member* b) {
    if ((a == champion) != (b == champion)) return a == champion;
    return ranks_before(a->accepted.evaluation, b->accepted.evaluation);
  });
  SearchState state;
  for (const Member* member : seen) {
    const Accepted& accepted = member->accepted;
    state.population.push_back({accepted.variant.id, accepted.variant.tree, &accepted.evaluation});
  }
  state.population.push_back({std::string(kBaseId), base_tree_, &base_});
  return state;
}

}  // namespace instar::engine
