#include "engine/generators/families/families.h"
#include "engine/generators/families/statements.h"

namespace instar::engine {

namespace {

NodeId next_statement(const Site& site) {
  NodeId at = site.self().next;
  while (at != kNoNode && site.tree().at(at).role == Role::kComment) at = site.tree().at(at).next;
  if (at == kNoNode || site.file.statement_at(at) == nullptr) return kNoNode;
  return at;
}

bool applies(const Site& site) { return site.file.statement_at(site.node) != nullptr; }

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
