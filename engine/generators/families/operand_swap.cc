#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

/// Swapping the sides of these changes nothing, or only the order of evaluation.
bool commutes(std::string_view op) {
  return op == "*" || op == "==" || op == "!=" || op == "&" || op == "|" || op == "^" ||
         op == "and" || op == "or" || op == "&&" || op == "||" || op == "is" || op == "is not";
}

bool applies(const Site& site) {
  return site.self().role == Role::kBinary || site.self().role == Role::kComparison;
}

void enumerate(const Site& site, Candidates& out) {
  const SyntaxTree& tree = site.tree();
  const NodeId op = operator_of(tree, site.node);
  const auto operands = tree.named_children(site.node);
  if (op == kNoNode || operands.size() != 2) return;
  const std::string_view left = tree.text_of(operands[0]);
  const std::string_view right = tree.text_of(operands[1]);
  if (left != right && !commutes(tree.text_of(op))) {
    const auto side = [&](NodeId one) {
      return is_tight(tree, one) ? std::string(tree.text_of(one))
                                 : in_parentheses(tree.text_of(one));
    };
    const std::uint32_t between = tree.at(operands[0]).end;
    std::string text = side(operands[1]);
    text += tree.text().substr(between, tree.at(operands[1]).begin - between);
    text += side(operands[0]);
    out.replace(site, site.node, std::move(text));
  }
  // One side alone: a term that should not be there.
  if (is_binary_of(tree, site.node, OperatorGroup::kRelational)) return;
  out.replace(site, site.node, std::string(left));
  out.replace(site, site.node, std::string(right));
}

}  // namespace

/// The operands of an operator that does not commute change places, or one of them stands alone:
/// swapped operands as in Karampatsis and Sutton (MSR 2020), operand deletion ODL of Delamaro et
/// al., "Experimental evaluation of SDL and one-op mutation" (2014).
const Family kOperandSwap{"operand-swap", 4, applies, enumerate};

}  // namespace instar::engine
