#include "engine/syntax/syntax_tree.h"

#include <tree_sitter/api.h>

#include <algorithm>

namespace instar::engine {

void SyntaxTree::TreeDeleter::operator()(TSTree* tree) const { ts_tree_delete(tree); }
SyntaxTree::SyntaxTree(SyntaxTree&&) noexcept = default;
SyntaxTree& SyntaxTree::operator=(SyntaxTree&&) noexcept = default;
SyntaxTree::~SyntaxTree() = default;

std::string_view SyntaxTree::kind_of(NodeId id) const {
  const char* name = ts_language_symbol_name(language_->grammar(), at(id).symbol);
  return name == nullptr ? "ERROR" : name;
}

std::uint32_t SyntaxTree::line_of(std::uint32_t offset) const {
  return static_cast<std::uint32_t>(
      std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - line_starts_.begin());
}

std::uint32_t SyntaxTree::line_start(std::uint32_t offset) const {
  return line_starts_[line_of(offset) - 1];
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> SyntaxTree::item_lines(
    std::uint32_t begin, std::uint32_t end) const {
  const auto after =
      std::upper_bound(items_.begin(), items_.end(), begin,
                       [&](std::uint32_t offset, NodeId item) { return offset < at(item).begin; });
  if (after == items_.begin()) return std::nullopt;
  const Node& item = at(*std::prev(after));
  if (item.has_error || item.broken || end > item.end || line_start(item.begin) != item.begin) {
    return std::nullopt;
  }
  const auto line_end =
      static_cast<std::uint32_t>(std::min(text().find('\n', item.end), text().size()));
  // What follows on the last line belongs to another item.
  if (text().substr(item.end, line_end - item.end).find_first_not_of(" \t\r") !=
      std::string_view::npos) {
    return std::nullopt;
  }
  return std::pair(item.begin, std::min(line_end + 1, static_cast<std::uint32_t>(text().size())));
}

std::vector<NodeId> SyntaxTree::named_children(NodeId id) const {
  std::vector<NodeId> children;
  for (NodeId c = at(id).first_child; c != kNoNode; c = at(c).next) {
    if (at(c).named && at(c).role != Role::kComment) children.push_back(c);
  }
  return children;
}

NodeId SyntaxTree::child(NodeId id, Field field) const {
  NodeId c = at(id).first_child;
  while (c != kNoNode && at(c).field != field) c = at(c).next;
  return c;
}

}  // namespace instar::engine
