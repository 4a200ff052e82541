#include "engine/generators/families/families.h"

#include <array>

namespace instar::engine {

std::span<const Family* const> families() {
  static constexpr std::array<const Family*, 18> kFamilies{
      &kRelational,      &kOffByOne,           &kConstant,        &kIdentifierSwap,
      &kNegateCondition, &kArithmetic,         &kLogical,         &kArgumentSwap,
      &kReturnValue,     &kAssignmentOperator, &kBitwise,         &kOperandSwap,
      &kBooleanFlip,     &kBreakContinue,      &kInsertStatement, &kReplaceStatement,
      &kSwapStatements,  &kDeleteStatement};
  return kFamilies;
}

}  // namespace instar::engine
