#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

bool applies(const Site& site) {
  return site.self().named &&
         (is_negation(site.tree(), site.node) || is_condition(site.tree(), site.node) ||
          site.self().role == Role::kBoolean || site.parent().role == Role::kReturn);
}

void enumerate(const Site& site, Candidates& out) {
  const SyntaxTree& tree = site.tree();
  if (is_negation(tree, site.node)) {
    const NodeId operand = negated_operand(tree, site.node);
    if (operand != kNoNode) out.replace(site, site.node, std::string(tree.text_of(operand)));
    return;
  }
  const bool boolean =
      site.self().role == Role::kBoolean || is_binary_of(tree, site.node, OperatorGroup::kLogical);
  // A single comparison is negated by its operator, which is the relational family's.
  const bool comparison = is_binary_of(tree, site.node, OperatorGroup::kRelational) &&
                          tree.named_children(site.node).size() == 2;
  const bool result = site.parent().role == Role::kReturn && is_tight(tree, site.node) &&
                      site.self().role != Role::kInteger && site.self().role != Role::kTrue &&
                      site.self().role != Role::kFalse;
  if (!comparison && (is_condition(tree, site.node) || result)) {
    out.replace(site, site.node, negate(tree, site.node));
  }
  if (!boolean) return;
  // A conjunct too many.
  for (const NodeId operand : tree.named_children(site.node)) {
    out.replace(site, site.node, std::string(tree.text_of(operand)));
  }
}

}  // namespace

/// A condition is negated, a negation dropped, one side of and/or kept alone: OCNG of Agrawal et
/// al. (1989), and the expression adder, remover and replacer of PAR (Kim et al., ICSE 2013) for
/// conditions.
const Family kNegateCondition{"negate", 6, applies, enumerate};

}  // namespace instar::engine
