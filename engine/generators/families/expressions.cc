#include "engine/generators/families/expressions.h"

namespace instar::engine {

bool is_operator(const Site& site) {
  if (site.self().named || site.self().parent == kNoNode) return false;
  switch (site.parent().role) {
    case Role::kBinary:
    case Role::kComparison:
    case Role::kBoolean:
    case Role::kAssignment:
    case Role::kUpdate:
      return !site.text().empty();
    default:
      return false;
  }
}

bool operator_in(const Site& site, OperatorGroup group) {
  return is_operator(site) && find_operator(site.language(), group, site.text()) != nullptr;
}

void swap_operator(const Site& site, OperatorGroup group, Candidates& out) {
  const OperatorChoice* choice = find_operator(site.language(), group, site.text());
  if (choice == nullptr) return;
  for (const std::string_view other : choice->alternatives) {
    out.replace(site, site.node, std::string(other));
  }
}

NodeId operator_of(const SyntaxTree& tree, NodeId node) {
  return tree.child(node, Field::kOperator);
}

bool is_binary_of(const SyntaxTree& tree, NodeId node, OperatorGroup group) {
  const Role role = tree.at(node).role;
  if (role != Role::kBinary && role != Role::kComparison && role != Role::kBoolean) return false;
  const NodeId op = operator_of(tree, node);
  return op != kNoNode && find_operator(tree.language(), group, tree.text_of(op)) != nullptr;
}

NodeId peel(const SyntaxTree& tree, NodeId node) {
  while (tree.at(node).role == Role::kParenthesized) {
    const auto inner = tree.named_children(node);
    if (inner.size() != 1) break;
    node = inner.front();
  }
  return node;
}

bool is_tight(const SyntaxTree& tree, NodeId node) {
  switch (tree.at(node).role) {
    case Role::kIdentifier:
    case Role::kMember:
    case Role::kCall:
    case Role::kSubscript:
    case Role::kInteger:
    case Role::kParenthesized:
    case Role::kTrue:
    case Role::kFalse:
      return true;
    default:
      return false;
  }
}

std::string in_parentheses(std::string_view text) {
  std::string made = "(";
  made += text;
  made += ')';
  return made;
}

bool is_negation(const SyntaxTree& tree, NodeId node) {
  if (tree.at(node).role == Role::kNot) return true;
  if (tree.at(node).role != Role::kUnary) return false;
  const NodeId op = operator_of(tree, node);
  return op != kNoNode && tree.text_of(op) == tree.language().negation;
}

NodeId negated_operand(const SyntaxTree& tree, NodeId node) {
  const auto children = tree.named_children(node);
  return children.empty() ? kNoNode : children.back();
}

std::string negate(const SyntaxTree& tree, NodeId node) {
  const Language& language = tree.language();
  const std::string prefix(language.negation);
  const Role role = tree.at(node).role;
  // `not` of Python binds looser than a comparison and tighter than and/or.
  const bool bare =
      is_tight(tree, node) || (!language.negation_binds_tightly && role != Role::kBoolean &&
                               role != Role::kConditional && role != Role::kFunction);
  return prefix + (bare ? std::string(tree.text_of(node)) : in_parentheses(tree.text_of(node)));
}

bool is_condition(const SyntaxTree& tree, NodeId node) {
  const Node& self = tree.at(node);
  if (!self.named || self.parent == kNoNode || self.role == Role::kParenthesized) return false;
  NodeId outer = node;
  while (tree.at(tree.at(outer).parent).role == Role::kParenthesized) {
    outer = tree.at(outer).parent;
    if (tree.at(outer).parent == kNoNode) return false;
  }
  if (tree.at(outer).field == Field::kCondition) return true;
  const NodeId parent = tree.at(outer).parent;
  switch (tree.at(parent).role) {
    case Role::kBoolean:
      return true;
    case Role::kBinary:
      return is_binary_of(tree, parent, OperatorGroup::kLogical);
    case Role::kGuard: {
      const auto children = tree.named_children(parent);
      return !children.empty() && children.front() == outer;
    }
    case Role::kConditional: {
      const auto children = tree.named_children(parent);  // value, condition, alternative
      return children.size() == 3 && children[1] == outer && tree.at(outer).field == Field::kNone;
    }
    default:
      return false;
  }
}

bool is_value(const SyntaxTree& tree, NodeId node) {
  switch (tree.at(node).role) {
    case Role::kIdentifier:
    case Role::kMember:
    case Role::kCall:
    case Role::kSubscript:
      return true;
    case Role::kBinary:
      return is_binary_of(tree, node, OperatorGroup::kArithmetic);
    default:
      return false;
  }
}

}  // namespace instar::engine
