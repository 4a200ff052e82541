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

bool Population::is_in(const Epoch& epoch, const Member& member) {
  const Variant& variant = member.accepted.variant;
  return variant.n > epoch.began.results || epoch.lineage.contains(variant.id);
}

const Population::Member* Population::champion_in(const Epoch& epoch, std::uint64_t up_to) const {
  const Member* champion = nullptr;
  for (const auto& member : members_) {
    const Variant& variant = member->accepted.variant;
    const bool crowned_here = member->was_champion && variant.n > epoch.began.results;
    if (variant.n <= up_to && (crowned_here || variant.id == epoch.began.variant)) {
      champion = member.get();
    }
  }
  return champion;
}

const Accepted* Population::champion() const {
  const Member* champion =
      champion_in(epochs_.back(), members_.empty() ? 0 : members_.back()->accepted.variant.n);
  return champion == nullptr ? nullptr : &champion->accepted;
}

bool Population::holds(const std::string& parent) const {
  if (parent == kBaseId) return true;
  return std::any_of(members_.begin(), members_.end(), [&](const auto& member) {
    return member->accepted.variant.id == parent && is_in(epochs_.back(), *member);
  });
}

void Population::roll_back(const PastRollback& rollback) {
  Epoch epoch{.began = rollback, .lineage = {}};
  for (const Accepted* one = find(rollback.variant); one != nullptr;
       one = find(one->variant.proposal.parent)) {
    epoch.lineage.insert(one->variant.id);
  }
  epochs_.push_back(std::move(epoch));
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

SearchState Population::visible(std::uint64_t up_to, std::uint64_t proposal) const {
  auto epoch = epochs_.rbegin();
  while (epoch->began.proposals >= proposal && epoch + 1 != epochs_.rend()) ++epoch;
  const Member* champion = champion_in(*epoch, up_to);
  std::vector<const Member*> seen;
  for (const auto& member : members_) {
    if (member->accepted.variant.n <= up_to && is_in(*epoch, *member)) seen.push_back(member.get());
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
