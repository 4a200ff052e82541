#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

enum class Context { kNone, kBound, kIndex, kArgument, kReturn, kAssigned, kOperand };

/// With the parentheses around it.
NodeId parenthesized(const SyntaxTree& tree, NodeId node) {
  while (tree.at(node).parent != kNoNode &&
         tree.at(tree.at(node).parent).role == Role::kParenthesized) {
    node = tree.at(node).parent;
  }
  return node;
}

/// Where the value stands. Bounds and indices are where being one off is a mistake of its own kind.
Context context_of(const SyntaxTree& tree, NodeId node) {
  node = parenthesized(tree, node);
  const Node& self = tree.at(node);
  if (self.parent == kNoNode) return Context::kNone;
  const Node& parent = tree.at(self.parent);
  switch (parent.role) {
    case Role::kComparison:
      return Context::kBound;
    case Role::kBinary:
      if (is_binary_of(tree, self.parent, OperatorGroup::kRelational)) return Context::kBound;
      return is_binary_of(tree, self.parent, OperatorGroup::kArithmetic) ? Context::kOperand
                                                                         : Context::kNone;
    case Role::kSubscript:
      return self.field == Field::kIndex ? Context::kIndex : Context::kNone;
    case Role::kSlice:
      return Context::kIndex;
    case Role::kArguments:
      return Context::kArgument;
    case Role::kReturn:
      return Context::kReturn;
    case Role::kAssignment:
      return self.field == Field::kRight ? Context::kAssigned : Context::kNone;
    case Role::kOther:
      return self.field == Field::kValue ? Context::kAssigned : Context::kNone;
    default:
      return Context::kNone;
  }
}

/// The other operand when the node is `e + 1` or `e - 1`.
NodeId without_one(const SyntaxTree& tree, NodeId node) {
  if (tree.at(node).role != Role::kBinary) return kNoNode;
  const NodeId op = operator_of(tree, node);
  const NodeId left = tree.child(node, Field::kLeft);
  const NodeId right = tree.child(node, Field::kRight);
  if (op == kNoNode || left == kNoNode || right == kNoNode) return kNoNode;
  const std::string_view sign = tree.text_of(op);
  if (sign != "+" && sign != "-") return kNoNode;
  if (tree.text_of(right) == "1") return left;
  return sign == "+" && tree.text_of(left) == "1" ? right : kNoNode;
}

bool applies(const Site& site) {
  const Role role = site.self().role;
  const bool shape = role == Role::kIdentifier || role == Role::kMember || role == Role::kCall ||
                     role == Role::kSubscript || role == Role::kBinary;
  return shape && context_of(site.tree(), site.node) != Context::kNone;
}

void enumerate(const Site& site, Candidates& out) {
  const SyntaxTree& tree = site.tree();
  if (!is_value(tree, site.node)) return;
  const std::string text(site.text());
  if (const NodeId rest = without_one(tree, site.node); rest != kNoNode) {
    const NodeId outer = parenthesized(tree, site.node);
    const bool bare = is_tight(tree, rest) && tree.at(outer).field != Field::kCondition;
    out.replace(site, bare ? outer : site.node, std::string(tree.text_of(rest)));
    return;
  }
  // `a + 1` itself loses or changes its one.
  if (without_one(tree, site.self().parent) != kNoNode) return;
  const Context context = context_of(tree, site.node);
  const NodeId op = operator_of(tree, site.self().parent);
  const bool additive = op != kNoNode && (tree.text_of(op) == "+" || tree.text_of(op) == "-");
  const bool wrap =
      context == Context::kOperand && !(additive && site.self().field == Field::kLeft);
  const auto emit = [&](std::string_view change) {
    const std::string made = text + std::string(change);
    out.replace(site, site.node, wrap ? in_parentheses(made) : made);
  };
  emit(" - 1");
  emit(" + 1");
}

}  // namespace

/// An expression that is one off at a bound, an index, a slice, an argument, a result: the twiddle
/// operators VTWD of Agrawal et al., "Design of mutant operators for C" (1989), and the off-by-one
/// template of Kim et al., "Automatic patch generation learned from human-written patches" (PAR,
/// ICSE 2013).
const Family kOffByOne{"off-by-one", 8, applies, enumerate};

}  // namespace instar::engine
