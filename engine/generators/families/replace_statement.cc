#include "engine/generators/families/families.h"
#include "engine/generators/families/statements.h"

namespace instar::engine {

namespace {

constexpr std::size_t kMostCopies = 16;

bool applies(const Site& site) { return site.file.statement_at(site.node) != nullptr; }

void enumerate(const Site& site, Candidates& out) {
  const SyntaxTree& tree = site.tree();
  if (!site.file.statement_at(site.node)->small || !owns_lines(site)) return;
  const std::string_view indent = indent_of(tree, site.node);
  for (const NodeId copied : ingredients(site, kMostCopies)) {
    if (tree.text_of(copied) != site.text()) {
      out.replace(site, site.node, reindented(tree, copied, indent));
    }
  }
}

}  // namespace

/// A statement becomes a copy of another one of the file: the replace operator of GenProg (Le Goues
/// et al., TSE 2012).
const Family kReplaceStatement{"replace-statement", 4, applies, enumerate};

}  // namespace instar::engine
