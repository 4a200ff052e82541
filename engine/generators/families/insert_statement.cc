#include "engine/generators/families/families.h"
#include "engine/generators/families/statements.h"

namespace instar::engine {

namespace {

/// Copies tried per place and side.
constexpr std::size_t kMostCopies = 16;

bool is_jump(Role role) {
  return role == Role::kReturn || role == Role::kBreak || role == Role::kContinue;
}

bool applies(const Site& site) { return site.file.statement_at(site.node) != nullptr; }

void enumerate(const Site& site, Candidates& out) {
  if (!owns_lines(site)) return;
  const SyntaxTree& tree = site.tree();
  const std::string indent(indent_of(tree, site.node));
  const std::string newline(newline_of(site));
  const std::string own(site.text());
  const auto siblings = tree.named_children(site.self().parent);
  const bool jump = is_jump(site.self().role);
  const bool one_line = own.find('\n') == std::string::npos;
  // What stands behind a jump is never reached: none is put before another statement, and nothing
  // behind one.
  const auto after = [&](NodeId copied) {
    if (jump || (is_jump(tree.at(copied).role) && siblings.back() != site.node)) return;
    out.replace(site, site.node, own + newline + indent + reindented(tree, copied, indent));
  };
  const auto before = [&](NodeId copied) {
    if (is_jump(tree.at(copied).role)) return;
    out.replace(site, site.node, reindented(tree, copied, indent) + newline + indent + own);
  };
  const bool repeatable = site.file.statement_at(site.node)->small;
  if (repeatable && one_line) after(site.node);
  for (const NodeId copied : ingredients(site, kMostCopies)) {
    after(copied);
    // Behind the statement before is the same place; only a block's first has none.
    if (siblings.front() == site.node || jump) before(copied);
  }
  if (repeatable && !one_line) after(site.node);
}

}  // namespace

/// A statement is duplicated, or a copy of one from elsewhere in the file is inserted: the insert
/// operator of GenProg (Le Goues et al., TSE 2012), whose premise is that the missing code often
/// exists already ("plastic surgery", Barr et al., FSE 2014).
const Family kInsertStatement{"insert-statement", 6, applies, enumerate};

}  // namespace instar::engine
