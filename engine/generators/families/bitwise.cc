#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

bool applies(const Site& site) { return operator_in(site, OperatorGroup::kBitwise); }

void enumerate(const Site& site, Candidates& out) {
  swap_operator(site, OperatorGroup::kBitwise, out);
}

}  // namespace

/// OBBN and OSSN of Agrawal et al., "Design of mutant operators for C" (1989): bitwise and shift
/// operators by each other.
const Family kBitwise{"bitwise", 4, applies, enumerate};

}  // namespace instar::engine
