#include <array>

#include "engine/syntax/language.h"

extern "C" const TSLanguage* tree_sitter_python();

namespace instar::engine {

namespace {

template <std::size_t N>
using Ops = std::array<std::string_view, N>;

constexpr std::array<std::string_view, 2> kExtensions{".py", ".pyw"};

constexpr std::array kRoles{
    KindRole{"binary_operator", Role::kBinary},
    KindRole{"comparison_operator", Role::kComparison},
    KindRole{"boolean_operator", Role::kBoolean},
    KindRole{"not_operator", Role::kNot},
    KindRole{"unary_operator", Role::kUnary},
    KindRole{"assignment", Role::kAssignment},
    KindRole{"augmented_assignment", Role::kAssignment},
    KindRole{"conditional_expression", Role::kConditional},
    KindRole{"if_clause", Role::kGuard},
    KindRole{"assert_statement", Role::kGuard},
    KindRole{"call", Role::kCall},
    KindRole{"argument_list", Role::kArguments},
    KindRole{"keyword_argument", Role::kKeywordArgument},
    KindRole{"subscript", Role::kSubscript},
    KindRole{"slice", Role::kSlice},
    KindRole{"attribute", Role::kMember},
    KindRole{"parenthesized_expression", Role::kParenthesized},
    KindRole{"identifier", Role::kIdentifier},
    KindRole{"integer", Role::kInteger},
    KindRole{"float", Role::kInteger},
    KindRole{"string", Role::kString},
    KindRole{"true", Role::kTrue},
    KindRole{"false", Role::kFalse},
    KindRole{"function_definition", Role::kFunction},
    KindRole{"lambda", Role::kFunction},
    KindRole{"class_definition", Role::kClass},
    KindRole{"block", Role::kBlock},
    KindRole{"module", Role::kBlock},
    KindRole{"expression_statement", Role::kStatement},
    KindRole{"if_statement", Role::kStatement},
    KindRole{"while_statement", Role::kStatement},
    KindRole{"for_statement", Role::kStatement},
    KindRole{"with_statement", Role::kStatement},
    KindRole{"try_statement", Role::kStatement},
    KindRole{"raise_statement", Role::kStatement},
    KindRole{"delete_statement", Role::kStatement},
    KindRole{"return_statement", Role::kReturn},
    KindRole{"break_statement", Role::kBreak},
    KindRole{"continue_statement", Role::kContinue},
    KindRole{"global_statement", Role::kDeclaration},
    KindRole{"nonlocal_statement", Role::kDeclaration},
    KindRole{"parameters", Role::kParameters},
    KindRole{"lambda_parameters", Role::kParameters},
    KindRole{"comment", Role::kComment},
    KindRole{"ERROR", Role::kError},
};

constexpr Ops<5> kLt{"<=", ">", ">=", "!=", "=="}, kLe{"<", ">=", ">", "==", "!="},
    kGt{">=", "<", "<=", "!=", "=="}, kGe{">", "<=", "<", "==", "!="};
constexpr Ops<5> kEq{"!=", "<=", ">=", "<", ">"}, kNe{"==", "<", ">", "<=", ">="};
constexpr Ops<1> kIn{"not in"}, kNotIn{"in"}, kIs{"is not"}, kIsNot{"is"};
constexpr std::array kRelational{OperatorChoice{"<", kLt},  OperatorChoice{"<=", kLe},
                                 OperatorChoice{">", kGt},  OperatorChoice{">=", kGe},
                                 OperatorChoice{"==", kEq}, OperatorChoice{"!=", kNe},
                                 OperatorChoice{"in", kIn}, OperatorChoice{"not in", kNotIn},
                                 OperatorChoice{"is", kIs}, OperatorChoice{"is not", kIsNot}};

constexpr Ops<4> kAdd{"-", "*", "//", "%"}, kSub{"+", "*", "//", "%"};
constexpr Ops<5> kMul{"+", "//", "**", "/", "-"}, kDiv{"//", "*", "%", "-", "+"};
constexpr Ops<5> kFloorDiv{"%", "/", "*", "-", "+"}, kMod{"//", "*", "/", "-", "+"};
constexpr Ops<1> kPow{"*"};
constexpr std::array kArithmetic{OperatorChoice{"+", kAdd},       OperatorChoice{"-", kSub},
                                 OperatorChoice{"*", kMul},       OperatorChoice{"/", kDiv},
                                 OperatorChoice{"//", kFloorDiv}, OperatorChoice{"%", kMod},
                                 OperatorChoice{"**", kPow}};

constexpr Ops<1> kAnd{"or"}, kOr{"and"};
constexpr std::array kLogical{OperatorChoice{"and", kAnd}, OperatorChoice{"or", kOr}};

constexpr Ops<4> kBitAnd{"|", "^", "<<", ">>"}, kBitOr{"&", "^", "<<", ">>"},
    kBitXor{"&", "|", "<<", ">>"};
constexpr Ops<3> kShl{">>", "&", "|"}, kShr{"<<", "&", "|"};
constexpr std::array kBitwise{OperatorChoice{"&", kBitAnd}, OperatorChoice{"|", kBitOr},
                              OperatorChoice{"^", kBitXor}, OperatorChoice{"<<", kShl},
                              OperatorChoice{">>", kShr}};

constexpr Ops<3> kAddSet{"-=", "=", "*="}, kSubSet{"+=", "=", "//="}, kMulSet{"+=", "=", "//="};
constexpr Ops<3> kDivSet{"//=", "*=", "="}, kFloorSet{"%=", "*=", "="}, kModSet{"//=", "*=", "="};
constexpr Ops<3> kAndSet{"|=", "^=", "="}, kOrSet{"&=", "^=", "="}, kXorSet{"&=", "|=", "="};
constexpr Ops<2> kShlSet{">>=", "="}, kShrSet{"<<=", "="}, kSet{"+=", "-="};
constexpr std::array kAssignment{
    OperatorChoice{"+=", kAddSet},  OperatorChoice{"-=", kSubSet},    OperatorChoice{"*=", kMulSet},
    OperatorChoice{"/=", kDivSet},  OperatorChoice{"//=", kFloorSet}, OperatorChoice{"%=", kModSet},
    OperatorChoice{"&=", kAndSet},  OperatorChoice{"|=", kOrSet},     OperatorChoice{"^=", kXorSet},
    OperatorChoice{"<<=", kShlSet}, OperatorChoice{">>=", kShrSet},   OperatorChoice{"=", kSet}};

constexpr std::array kDeclares{
    Place{"assignment", Field::kLeft},
    Place{"for_statement", Field::kLeft},
    Place{"for_in_clause", Field::kLeft},
    Place{"function_definition", Field::kName},
    Place{"class_definition", Field::kName},
    Place{"parameters", Field::kAny},
    Place{"lambda_parameters", Field::kAny},
    Place{"default_parameter", Field::kName},
    Place{"typed_parameter", Field::kNone},
    Place{"typed_default_parameter", Field::kName},
    Place{"as_pattern_target", Field::kAny},
    Place{"named_expression", Field::kName},
    Place{"aliased_import", Field::kAlias},
    Place{"import_statement", Field::kName},
    Place{"import_from_statement", Field::kName},
};

constexpr std::array kTransparent{
    Place{"pattern_list", Field::kAny},
    Place{"tuple_pattern", Field::kAny},
    Place{"list_pattern", Field::kAny},
    Place{"list_splat_pattern", Field::kAny},
    Place{"dictionary_splat_pattern", Field::kAny},
    Place{"dotted_name", Field::kAny},
};

}  // namespace

const Language kPython{
    .name = "python",
    .extensions = kExtensions,
    .grammar = tree_sitter_python,
    .roles = kRoles,
    .operators = {kRelational, kArithmetic, kLogical, kBitwise, kAssignment},
    .declares = kDeclares,
    .transparent = kTransparent,
    .scope_rule = ScopeRule::kFunction,
    .negation = "not ",
    .true_literal = "True",
    .false_literal = "False",
    .break_text = "break",
    .continue_text = "continue",
    .empty_statement = "pass",
    .indentation = true,
    .negation_binds_tightly = false,
};

}  // namespace instar::engine
