#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

bool applies(const Site& site) { return operator_in(site, OperatorGroup::kRelational); }

void enumerate(const Site& site, Candidates& out) {
  swap_operator(site, OperatorGroup::kRelational, out);
}

}  // namespace

/// ROR of Offutt et al., "An experimental determination of sufficient mutant operators" (TOSEM
/// 1996): every relational operator by every other; here the likeliest mistakes come first.
const Family kRelational{"relational", 10, applies, enumerate};

}  // namespace instar::engine
