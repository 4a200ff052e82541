#include "engine/generators/families/families.h"
#include "engine/generators/families/statements.h"

namespace instar::engine {

namespace {

/// A declaration with its initial value moves too: it may stand too late or too early.
bool can_move(const SourceFile& file, NodeId node) {
  if (file.statement_at(node) != nullptr) return true;
  const SyntaxTree& tree = file.tree();
  const Node& self = tree.at(node);
  return self.role == Role::kDeclaration && !self.has_error && file.function_of(node) != kNoNode &&
         tree.at(self.parent).role == Role::kBlock;
}

NodeId next_statement(const Site& site) {
  NodeId at = site.self().next;
  while (at != kNoNode && site.tree().at(at).role == Role::kComment) at = site.tree().at(at).next;
  return at != kNoNode && can_move(site.file, at) ? at : kNoNode;
}

bool applies(const Site& site) { return can_move(site.file, site.node); }

void enumerate(const Site& site, Candidates& out) {
  const SyntaxTree& tree = site.tree();
  const NodeId other = next_statement(site);
  if (other == kNoNode || site.text() == tree.text_of(other)) return;
  if (site.self().end - site.self().begin > kMaxCopiedBytes * 4) return;
  std::string text(tree.text_of(other));
  text += tree.text().substr(site.self().end, tree.at(other).begin - site.self().end);
  text += site.text();
  out.replace(site.self().begin, tree.at(other).end, std::move(text));
}

}  // namespace

/// Two neighbouring statements change places: the swap operator of the first GenProg (Weimer et
/// al., ICSE 2009).
const Family kSwapStatements{"swap-statements", 3, applies, enumerate};

}  // namespace instar::engine
