#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

bool applies(const Site& site) { return operator_in(site, OperatorGroup::kLogical); }

void enumerate(const Site& site, Candidates& out) {
  swap_operator(site, OperatorGroup::kLogical, out);
}

}  // namespace

/// LCR of the Mothra operators (King and Offutt 1991): `and` by `or` and back.
const Family kLogical{"logical", 5, applies, enumerate};

}  // namespace instar::engine
