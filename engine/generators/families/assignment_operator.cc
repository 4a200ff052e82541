#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

bool applies(const Site& site) {
  return operator_in(site, OperatorGroup::kAssignment) && site.parent().role == Role::kAssignment;
}

void enumerate(const Site& site, Candidates& out) {
  swap_operator(site, OperatorGroup::kAssignment, out);
}

}  // namespace

/// OAAA and OASN of Agrawal et al., "Design of mutant operators for C" (1989): a compound
/// assignment by another or by a plain one, and a plain one by an accumulating one.
const Family kAssignmentOperator{"assignment", 4, applies, enumerate};

}  // namespace instar::engine
