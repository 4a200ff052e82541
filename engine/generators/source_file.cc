#include "engine/generators/source_file.h"

#include <algorithm>

#include "engine/edit_window/regions.h"

namespace instar::engine {

namespace {

bool is_docstring(const SyntaxTree& tree, NodeId statement) {
  const NodeId only = tree.at(statement).first_child;
  return only != kNoNode && tree.at(only).role == Role::kString && tree.at(only).next == kNoNode;
}

}  // namespace

bool is_statement(Role role) {
  return role == Role::kStatement || role == Role::kReturn || role == Role::kBreak ||
         role == Role::kContinue;
}

Result<std::shared_ptr<const SourceFile>> SourceFile::parse(Parser& parser,
                                                            const Language& language,
                                                            std::string text) {
  SyntaxTree tree = INSTAR_TRY(parser.parse(language, std::move(text)));
  return std::shared_ptr<const SourceFile>(new SourceFile(std::move(tree)));
}

SourceFile::SourceFile(SyntaxTree tree) : tree_(std::move(tree)), names_(tree_) {
  find_functions();
  find_statements();
  find_regions();
}

void SourceFile::find_functions() {
  functions_.assign(tree_.nodes().size(), kNoNode);
  for (NodeId id = 1; id < tree_.nodes().size(); ++id) {
    const NodeId parent = tree_.at(id).parent;
    // A lambda has no name and belongs to the function that it stands in.
    const bool named = tree_.at(parent).role == Role::kFunction &&
                       (tree_.child(parent, Field::kName) != kNoNode ||
                        tree_.child(parent, Field::kDeclarator) != kNoNode);
    functions_[id] = named ? parent : functions_[parent];
  }
}

void SourceFile::find_statements() {
  for (NodeId id = 1; id < tree_.nodes().size(); ++id) {
    const Node& node = tree_.at(id);
    if (!is_statement(node.role) || node.has_error || node.broken) continue;
    if (tree_.at(node.parent).role != Role::kBlock || is_docstring(tree_, id)) continue;
    Statement made{.node = id, .function = functions_[id], .names = {}, .small = false};
    made.small = node.end - node.begin <= kMaxCopiedBytes;
    for (NodeId at = id + 1;
         made.small && at < tree_.nodes().size() && tree_.at(at).begin < node.end; ++at) {
      const NameUse use = names_.use_of(at);
      if (use == NameUse::kVariable || use == NameUse::kCallee) {
        made.names.push_back(names_.name_of(at));
      }
      // Moving a text over several lines would change what it says.
      if (tree_.at(at).role == Role::kString &&
          tree_.text_of(at).find('\n') != std::string_view::npos) {
        made.small = false;
      }
    }
    std::sort(made.names.begin(), made.names.end());
    made.names.erase(std::unique(made.names.begin(), made.names.end()), made.names.end());
    statements_.push_back(std::move(made));
  }
}

void SourceFile::find_regions() {
  const auto cut = parse_regions({}, tree_.text());
  // The edit window refuses every change of a file whose markers are malformed.
  restricted_ = !cut || !cut->blocks.empty();
  if (!cut) return;
  for (const std::string_view block : cut->blocks) {
    const auto begin = static_cast<std::uint32_t>(block.data() - tree_.text().data());
    regions_.emplace_back(begin, begin + static_cast<std::uint32_t>(block.size()));
  }
}

const Statement* SourceFile::statement_at(NodeId node) const {
  const auto found =
      std::lower_bound(statements_.begin(), statements_.end(), node,
                       [](const Statement& one, NodeId wanted) { return one.node < wanted; });
  return found != statements_.end() && found->node == node ? &*found : nullptr;
}

std::string_view SourceFile::function_name(NodeId function) const {
  if (function == kNoNode) return {};
  NodeId at = tree_.child(function, Field::kName);
  if (at == kNoNode) at = tree_.child(function, Field::kDeclarator);
  while (at != kNoNode && tree_.at(at).role != Role::kIdentifier) {
    const NodeId inner = tree_.child(at, Field::kDeclarator);
    at = inner == kNoNode ? tree_.at(at).first_child : inner;
    while (at != kNoNode && !tree_.at(at).named) at = tree_.at(at).next;
  }
  return at == kNoNode ? std::string_view{} : tree_.text_of(at);
}

bool SourceFile::may_change(std::uint32_t begin, std::uint32_t end) const {
  if (!restricted_) return true;
  return std::any_of(regions_.begin(), regions_.end(), [&](const auto& region) {
    return region.first <= begin && end <= region.second;
  });
}

}  // namespace instar::engine
