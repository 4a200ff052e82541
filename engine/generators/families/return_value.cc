#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

constexpr std::size_t kMostNames = 12;

/// A name standing in the returned expression, used as a value: it tells what is in scope.
NodeId first_value(const Site& site, NodeId value) {
  const SyntaxTree& tree = site.tree();
  for (NodeId at = value; at < tree.nodes().size() && tree.at(at).begin < tree.at(value).end;
       ++at) {
    if (site.file.names().use_of(at) == NameUse::kVariable) return at;
  }
  return kNoNode;
}

bool applies(const Site& site) { return site.self().role == Role::kReturn; }

void enumerate(const Site& site, Candidates& out) {
  const SyntaxTree& tree = site.tree();
  const auto values = tree.named_children(site.node);
  if (values.size() != 1) return;
  const NodeId value = peel(tree, values.front());
  if (tree.at(value).role == Role::kIdentifier) return;  // the identifier family's
  const NodeId name = first_value(site, value);
  if (name == kNoNode) return;
  const NameIndex& names = site.file.names();
  out.replace(site, values.front(), std::string(tree.text_of(name)));
  for (const NameId other : names.alternatives(name, kMostNames)) {
    out.replace(site, values.front(), std::string(names.text(other)));
  }
}

}  // namespace

/// A result becomes another value in scope: the expression replacer of PAR (Kim et al., ICSE 2013)
/// at returns.
const Family kReturnValue{"return-value", 3, applies, enumerate};

}  // namespace instar::engine
