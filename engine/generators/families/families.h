#pragma once

#include "engine/generators/family.h"

namespace instar::engine {

extern const Family kRelational;
extern const Family kArithmetic;
extern const Family kLogical;
extern const Family kBitwise;
extern const Family kAssignmentOperator;
extern const Family kConstant;
extern const Family kOffByOne;
extern const Family kIdentifierSwap;
extern const Family kArgumentSwap;
extern const Family kOperandSwap;
extern const Family kNegateCondition;
extern const Family kBooleanFlip;
extern const Family kBreakContinue;
extern const Family kReturnValue;
extern const Family kInsertStatement;
extern const Family kReplaceStatement;
extern const Family kSwapStatements;
extern const Family kDeleteStatement;

}  // namespace instar::engine
