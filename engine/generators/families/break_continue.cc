#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

bool applies(const Site& site) {
  return site.self().role == Role::kBreak || site.self().role == Role::kContinue;
}

void enumerate(const Site& site, Candidates& out) {
  const Language& language = site.language();
  out.replace(
      site, site.node,
      std::string(site.self().role == Role::kBreak ? language.continue_text : language.break_text));
}

}  // namespace

/// SBRC and SCRB of Agrawal et al., "Design of mutant operators for C" (1989): `break` by
/// `continue` and back.
const Family kBreakContinue{"break-continue", 3, applies, enumerate};

}  // namespace instar::engine
