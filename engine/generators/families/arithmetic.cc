#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

bool applies(const Site& site) { return operator_in(site, OperatorGroup::kArithmetic); }

void enumerate(const Site& site, Candidates& out) {
  swap_operator(site, OperatorGroup::kArithmetic, out);
}

}  // namespace

/// AOR of the Mothra operators (King and Offutt 1991): an arithmetic operator by another; with
/// increment and decrement as in Agrawal et al., "Design of mutant operators for C" (1989).
const Family kArithmetic{"arithmetic", 5, applies, enumerate};

}  // namespace instar::engine
