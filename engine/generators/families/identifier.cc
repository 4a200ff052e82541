#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

/// More names than this at one site are guesses; ranked by scope and distance the right one is
/// nearly always among the first dozen.
constexpr std::size_t kMostNames = 24;

bool applies(const Site& site) {
  return site.file.names().use_of(site.node) != NameUse::kNone &&
         !site.file.names().declares(site.node);
}

void enumerate(const Site& site, Candidates& out) {
  const NameIndex& names = site.file.names();
  for (const NameId name : names.alternatives(site.node, kMostNames)) {
    out.replace(site, site.node, std::string(names.text(name)));
  }
}

}  // namespace

/// SVR, scalar variable replacement, of the Mothra operators (King and Offutt 1991), and the method
/// replacer of PAR (Kim et al., ICSE 2013): a name by another one in scope and of the same use.
const Family kIdentifierSwap{"identifier", 9, applies, enumerate};

}  // namespace instar::engine
