#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

bool applies(const Site& site) {
  return site.self().role == Role::kTrue || site.self().role == Role::kFalse;
}

void enumerate(const Site& site, Candidates& out) {
  const bool was_true = site.self().role == Role::kTrue;
  const bool upper = site.text() == "TRUE" || site.text() == "FALSE";
  if (upper) {
    out.replace(site, site.node, was_true ? "FALSE" : "TRUE");
    return;
  }
  const Language& language = site.language();
  out.replace(site, site.node,
              std::string(was_true ? language.false_literal : language.true_literal));
}

}  // namespace

/// A truth value becomes the other one: Karampatsis and Sutton, "How often do single-statement bugs
/// occur?" (MSR 2020), change of a boolean literal.
const Family kBooleanFlip{"boolean", 4, applies, enumerate};

}  // namespace instar::engine
