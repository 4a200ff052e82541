#include "engine/syntax/names.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <tuple>
#include <unordered_set>

namespace instar::engine {

namespace {

/// Outer names to rank per site: a generated file may have tens of thousands.
constexpr std::size_t kMostOuterNames = 512;
/// Declarators and patterns nested deeper than this were made to be slow.
constexpr unsigned kMostWrappers = 64;

bool is_scope(const Language& language, Role role) {
  if (role == Role::kFunction) return true;
  return language.scope_rule == ScopeRule::kBlock && role == Role::kBlock;
}

bool stands_at(const SyntaxTree& tree, std::span<const Place> places, NodeId node) {
  const NodeId parent = tree.at(node).parent;
  if (parent == kNoNode) return false;
  const std::string_view kind = tree.kind_of(parent);
  return std::any_of(places.begin(), places.end(), [&](const Place& place) {
    return place.kind == kind && (place.field == Field::kAny || place.field == tree.at(node).field);
  });
}

/// A prototype's parameters are visible nowhere: no function that has a body holds them, or they
/// are a parameter's own.
bool is_prototype_parameter(const SyntaxTree& tree, NodeId declaring, NodeId scope) {
  unsigned lists = 0;
  NodeId at = declaring;
  for (unsigned climbed = 0; climbed < kMostWrappers && at != scope && at != kNoNode; ++climbed) {
    if (tree.at(at).role == Role::kParameters) ++lists;
    at = tree.at(at).parent;
  }
  return lists > 1 || (lists == 1 && tree.at(scope).role != Role::kFunction);
}

NameUse classify(const SyntaxTree& tree, NodeId node) {
  const Node& self = tree.at(node);
  if (self.parent == kNoNode || self.broken) return NameUse::kNone;
  const Node& parent = tree.at(self.parent);
  const bool member = self.role == Role::kMemberName ||
                      (parent.role == Role::kMember && self.field == Field::kMember);
  if (member) {
    if (parent.role != Role::kMember) return NameUse::kNone;
    const bool called = parent.field == Field::kFunction && parent.parent != kNoNode &&
                        tree.at(parent.parent).role == Role::kCall;
    return called ? NameUse::kMethod : NameUse::kMember;
  }
  if (self.role != Role::kIdentifier) return NameUse::kNone;
  if (parent.role == Role::kKeywordArgument && self.field == Field::kName) return NameUse::kNone;
  if (self.field == Field::kType || parent.field == Field::kType) return NameUse::kNone;
  if (parent.role == Role::kCall && self.field == Field::kFunction) return NameUse::kCallee;
  return NameUse::kVariable;
}

}  // namespace

NameIndex::NameIndex(const SyntaxTree& tree)
    : tree_(&tree),
      uses_(tree.nodes().size(), NameUse::kNone),
      declares_(tree.nodes().size()),
      scopes_(tree.nodes().size(), 0) {
  for (NodeId node = 1; node < tree.nodes().size(); ++node) {
    const NodeId parent = tree.at(node).parent;
    scopes_[node] = is_scope(tree.language(), tree.at(parent).role) ? parent : scopes_[parent];
  }
  std::set<std::pair<NameId, NameUse>> known;
  for (NodeId node = 0; node < tree.nodes().size(); ++node) {
    uses_[node] = classify(tree, node);
    if (uses_[node] == NameUse::kNone) continue;
    record(node);
    if (uses_[node] == NameUse::kVariable) declare(node);
    if (uses_[node] == NameUse::kVariable || !known.emplace(name_of(node), uses_[node]).second) {
      continue;
    }
    (uses_[node] == NameUse::kCallee ? callee_nodes_ : member_nodes_).push_back(node);
  }
}

NameId NameIndex::intern(std::string_view text) {
  const auto [at, fresh] = ids_.emplace(text, static_cast<NameId>(texts_.size()));
  if (fresh) {
    texts_.push_back(text);
    places_.emplace_back();
  }
  return at->second;
}

void NameIndex::record(NodeId node) {
  places_[intern(tree_->text_of(node))].push_back(tree_->at(node).begin);
}

NameId NameIndex::name_of(NodeId node) const { return ids_.at(tree_->text_of(node)); }

void NameIndex::declare(NodeId node) {
  const Language& language = tree_->language();
  NodeId outer = node;
  bool function = false;
  bool pointer = false;
  for (unsigned climbed = 0;
       climbed < kMostWrappers && stands_at(*tree_, language.transparent, outer); ++climbed) {
    outer = tree_->at(outer).parent;
    const std::string_view kind = tree_->kind_of(outer);
    pointer = pointer || kind == "pointer_declarator";
    // `int (*p)(int)` declares a value, `int *f(int)` a function.
    function = function || (kind == "function_declarator" && !pointer);
  }
  if (!stands_at(*tree_, language.declares, outer)) return;
  declares_[node] = true;
  const NodeId declaring = tree_->at(outer).parent;
  const Node& declaration = tree_->at(declaring);
  // A function's own name belongs to the scope around it.
  const bool own_name = declaration.role == Role::kFunction || declaration.role == Role::kClass;
  const NodeId scope = scopes_[own_name ? declaring : node];
  if (is_prototype_parameter(*tree_, declaring, scope)) return;
  const NodeId type = tree_->child(declaring, Field::kType);
  std::uint64_t type_hash = 0;
  if (type != kNoNode && !own_name) {
    // `char *p` and `char c` differ by what stands around the name in its declarator.
    std::string spelled(tree_->text_of(type));
    for (NodeId at = node; at != outer; at = tree_->at(at).parent) {
      spelled += tree_->kind_of(tree_->at(at).parent);
    }
    type_hash = std::hash<std::string>{}(spelled) | 1;
  }
  const Declaration made{name_of(node), scope, tree_->at(node).begin, type_hash,
                         function || own_name};
  by_scope_[scope].push_back(made);
  by_name_[made.name].push_back(made);
}

std::uint32_t NameIndex::distance(NameId name, std::uint32_t from) const {
  const auto& places = places_[name];
  const auto after = std::lower_bound(places.begin(), places.end(), from);
  std::uint32_t nearest = std::numeric_limits<std::uint32_t>::max();
  if (after != places.end()) nearest = *after - from;
  if (after != places.begin()) nearest = std::min(nearest, from - *std::prev(after));
  return nearest;
}

bool NameIndex::visible(NameId name, NodeId node) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return true;
  const Node& here = tree_->at(node);
  return std::any_of(found->second.begin(), found->second.end(), [&](const Declaration& one) {
    const Node& scope = tree_->at(one.scope);
    if (here.begin < scope.begin || here.begin >= scope.end) return one.scope == 0;
    return tree_->language().scope_rule == ScopeRule::kFunction || one.begin < here.begin;
  });
}

std::vector<NameId> NameIndex::alternatives(NodeId node, std::size_t most) const {
  switch (uses_[node]) {
    case NameUse::kNone:
      return {};
    case NameUse::kMember:
    case NameUse::kMethod:
      return members_like(node, most);
    case NameUse::kVariable:
    case NameUse::kCallee:
      return values_like(node, most);
  }
  return {};
}

namespace {

/// The names of the `most` smallest keys, which end with the name.
template <class Key>
std::vector<NameId> first_names(std::vector<Key> ranked, std::size_t most) {
  const auto end = ranked.begin() + static_cast<long>(std::min(most, ranked.size()));
  std::partial_sort(ranked.begin(), end, ranked.end());
  std::vector<NameId> names;
  for (auto at = ranked.begin(); at != end; ++at)
    names.push_back(std::get<std::tuple_size_v<Key> - 1>(*at));
  return names;
}

}  // namespace

std::vector<NameId> NameIndex::members_like(NodeId node, std::size_t most) const {
  const NameId self = name_of(node);
  const std::string_view object = tree_->text_of(tree_->at(tree_->at(node).parent).first_child);
  std::vector<std::tuple<bool, std::uint32_t, NameId>> ranked;
  for (const NodeId other : member_nodes_) {
    const NameId name = name_of(other);
    if (name == self || uses_[other] != uses_[node]) continue;
    const NodeId holder = tree_->at(tree_->at(other).parent).first_child;
    ranked.emplace_back(tree_->text_of(holder) != object, distance(name, tree_->at(node).begin),
                        name);
  }
  return first_names(std::move(ranked), most);
}

std::vector<NameId> NameIndex::values_like(NodeId node, std::size_t most) const {
  const NameId self = name_of(node);
  const Node& here = tree_->at(node);
  const bool callee = uses_[node] == NameUse::kCallee;
  struct Found {
    unsigned depth;
    NameId name;
    std::uint64_t type;
  };
  std::vector<Found> found;
  std::unordered_set<NameId> seen;
  std::uint64_t own_type = 0;
  unsigned depth = 0;
  for (NodeId scope = scopes_[node];; scope = scopes_[scope], ++depth) {
    const auto names = by_scope_.find(scope);
    const std::size_t declared = names == by_scope_.end() ? 0 : names->second.size();
    for (std::size_t i = 0; i < std::min(declared, kMostOuterNames); ++i) {
      const Declaration& one = names->second[i];
      const bool early =
          tree_->language().scope_rule == ScopeRule::kBlock && one.begin > here.begin;
      if (early || one.function != callee || !seen.insert(one.name).second) continue;
      if (one.name == self) {
        own_type = one.type;
      } else {
        found.push_back({depth, one.name, one.type});
      }
    }
    if (scope == 0) break;
  }
  if (callee) {
    for (const NodeId other : callee_nodes_) {
      const NameId name = name_of(other);
      if (name != self && seen.insert(name).second) found.push_back({depth + 1, name, 0});
    }
  }
  // Of the same type first, then the nearest scope, the nearest mention, the most frequent name.
  std::vector<std::tuple<bool, unsigned, std::uint32_t, std::uint32_t, NameId>> ranked;
  for (const auto& [outwards, name, type] : found) {
    ranked.emplace_back(own_type != 0 && type != 0 && type != own_type, outwards,
                        distance(name, here.begin),
                        std::numeric_limits<std::uint32_t>::max() - count(name), name);
  }
  return first_names(std::move(ranked), most);
}

}  // namespace instar::engine
