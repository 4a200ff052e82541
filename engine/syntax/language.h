#pragma once

#include <cstdint>
#include <span>
#include <string_view>

struct TSLanguage;

namespace instar::engine {

/// What a syntax node is for a mutation, the same word in every language.
enum class Role : std::uint8_t {
  kOther,
  kBinary,  ///< two operands and an operator: arithmetic, bitwise; in C also relational, logical
  kComparison,  ///< a chain of relational operators of its own node kind
  kBoolean,     ///< and/or of its own node kind
  kUnary,
  kNot,         ///< logical negation of its own node kind
  kAssignment,  ///< plain or compound, as an expression or a statement's only content
  kConditional,
  kGuard,  ///< holds one condition without a field: an assert, a comprehension's `if`
  kCall,
  kArguments,
  kKeywordArgument,
  kSubscript,
  kSlice,
  kMember,      ///< object and member name
  kMemberName,  ///< the name after the dot, where the grammar has a kind for it
  kParenthesized,
  kIdentifier,
  kInteger,  ///< a number; whether it is integral is told by its text
  kString,
  kTrue,
  kFalse,
  kFunction,
  kClass,
  kBlock,
  kStatement,  ///< any statement without a role of its own
  kReturn,
  kBreak,
  kContinue,
  kDeclaration,  ///< a statement that declares: other statements depend on it
  kParameters,
  kUpdate,  ///< ++ and --
  kComment,
  kError,
};

/// Which part of its parent a node is. Grammars' own names, the same in all of them.
enum class Field : std::uint8_t {
  kNone,
  kOther,
  kCondition,
  kOperator,
  kLeft,
  kRight,
  kArgument,
  kArguments,
  kFunction,
  kName,
  kBody,
  kIndex,
  kValue,
  kDeclarator,
  kType,
  kObject,
  kMember,
  kAlias,
  kAny,  ///< in a table: whatever the field
};

struct KindRole {
  std::string_view kind;
  Role role;
};

/// A place of a node: as `field` of a `kind`.
struct Place {
  std::string_view kind;
  Field field;
};

/// One operator and what may stand in its place, likeliest mistake first.
struct OperatorChoice {
  std::string_view op;
  std::span<const std::string_view> alternatives;
};

enum class OperatorGroup : std::uint8_t {
  kRelational,
  kArithmetic,
  kLogical,
  kBitwise,
  kAssignment
};
inline constexpr std::size_t kOperatorGroups = 5;

/// How far a declared name is visible.
enum class ScopeRule : std::uint8_t {
  kFunction,  ///< in the whole function that binds it
  kBlock      ///< from its declaration to the end of its block
};

/// All that the mutation operators know about a language. Adding one: this table, a grammar, and a
/// line in languages.cc.
struct Language {
  std::string_view name;
  std::span<const std::string_view> extensions;  ///< with the dot
  const TSLanguage* (*grammar)();
  std::span<const KindRole> roles;
  std::span<const OperatorChoice> operators[kOperatorGroups];
  /// Where an identifier is declared by standing there, and what may stand between.
  std::span<const Place> declares;
  std::span<const Place> transparent;
  ScopeRule scope_rule;
  std::string_view negation;      ///< "not " or "!"
  std::string_view true_literal;  ///< empty: the language has none
  std::string_view false_literal;
  std::string_view break_text;  ///< the whole statement
  std::string_view continue_text;
  std::string_view empty_statement;  ///< "pass", ";"
  bool indentation;                  ///< blocks are made by indentation
  /// Whether `-`, `!` and friends need parentheses around a comparison to negate it.
  bool negation_binds_tightly;
};

std::span<const Language* const> languages();

/// The language of a path by its extension; null when none is known.
const Language* language_for(std::string_view path);

/// The group and choice of an operator's text; null when the language has none such.
const OperatorChoice* find_operator(const Language& language, OperatorGroup group,
                                    std::string_view text);

extern const Language kPython;
extern const Language kC;

}  // namespace instar::engine
