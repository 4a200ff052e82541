#include "engine/generators/families/families.h"
#include "engine/generators/families/statements.h"

namespace instar::engine {

namespace {

bool applies(const Site& site) {
  if (!is_statement(site.self().role)) return false;
  // A block's child that is no statement of the index is a docstring.
  return site.parent().role != Role::kBlock || site.file.statement_at(site.node) != nullptr;
}

void enumerate(const Site& site, Candidates& out) {
  const SyntaxTree& tree = site.tree();
  const bool in_block = site.parent().role == Role::kBlock;
  const bool only = in_block && tree.named_children(site.self().parent).size() == 1;
  const bool must_stay = !in_block || (site.language().indentation && only);
  if (must_stay) {
    if (site.text() != site.language().empty_statement) {
      out.replace(site, site.node, std::string(site.language().empty_statement));
    }
    return;
  }
  if (owns_lines(site)) {
    const LineSpan lines = lines_of(site);
    out.replace(lines.begin, lines.end, "");
  } else {
    out.replace(site, site.node, site.language().indentation ? "pass" : "");
  }
}

}  // namespace

/// A statement goes: SDL of Delamaro et al. (2014) and the delete operator of GenProg. Late and
/// with a small share, since a deletion that passes the tests mostly removes a feature that they do
/// not look at (Qi et al., "An analysis of patch plausibility", ISSTA 2015).
const Family kDeleteStatement{"delete-statement", 1.5, applies, enumerate};

}  // namespace instar::engine
