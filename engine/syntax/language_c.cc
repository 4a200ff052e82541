#include <array>

#include "engine/syntax/language.h"

extern "C" const TSLanguage* tree_sitter_c();

namespace instar::engine {

namespace {

template <std::size_t N>
using Ops = std::array<std::string_view, N>;

constexpr std::array<std::string_view, 2> kExtensions{".c", ".h"};

constexpr std::array kRoles{
    KindRole{"binary_expression", Role::kBinary},
    KindRole{"unary_expression", Role::kUnary},
    KindRole{"pointer_expression", Role::kUnary},
    KindRole{"cast_expression", Role::kUnary},
    KindRole{"update_expression", Role::kUpdate},
    KindRole{"assignment_expression", Role::kAssignment},
    KindRole{"conditional_expression", Role::kConditional},
    KindRole{"call_expression", Role::kCall},
    KindRole{"argument_list", Role::kArguments},
    KindRole{"subscript_expression", Role::kSubscript},
    KindRole{"field_expression", Role::kMember},
    KindRole{"field_identifier", Role::kMemberName},
    KindRole{"parenthesized_expression", Role::kParenthesized},
    KindRole{"identifier", Role::kIdentifier},
    KindRole{"number_literal", Role::kInteger},
    KindRole{"string_literal", Role::kString},
    KindRole{"char_literal", Role::kString},
    KindRole{"true", Role::kTrue},
    KindRole{"false", Role::kFalse},
    KindRole{"function_definition", Role::kFunction},
    KindRole{"compound_statement", Role::kBlock},
    KindRole{"translation_unit", Role::kBlock},
    KindRole{"case_statement", Role::kBlock},
    KindRole{"expression_statement", Role::kStatement},
    KindRole{"if_statement", Role::kStatement},
    KindRole{"while_statement", Role::kStatement},
    KindRole{"do_statement", Role::kStatement},
    KindRole{"for_statement", Role::kStatement},
    KindRole{"switch_statement", Role::kStatement},
    KindRole{"goto_statement", Role::kStatement},
    KindRole{"return_statement", Role::kReturn},
    KindRole{"break_statement", Role::kBreak},
    KindRole{"continue_statement", Role::kContinue},
    KindRole{"declaration", Role::kDeclaration},
    KindRole{"parameter_list", Role::kParameters},
    KindRole{"comment", Role::kComment},
    KindRole{"ERROR", Role::kError},
};

constexpr Ops<5> kLt{"<=", ">", ">=", "!=", "=="}, kLe{"<", ">=", ">", "==", "!="},
    kGt{">=", "<", "<=", "!=", "=="}, kGe{">", "<=", "<", "==", "!="};
constexpr Ops<5> kEq{"!=", "<=", ">=", "<", ">"}, kNe{"==", "<", ">", "<=", ">="};
constexpr std::array kRelational{OperatorChoice{"<", kLt},  OperatorChoice{"<=", kLe},
                                 OperatorChoice{">", kGt},  OperatorChoice{">=", kGe},
                                 OperatorChoice{"==", kEq}, OperatorChoice{"!=", kNe}};

constexpr Ops<4> kAdd{"-", "*", "/", "%"}, kSub{"+", "*", "/", "%"}, kMul{"+", "/", "-", "%"},
    kDiv{"*", "%", "-", "+"}, kMod{"/", "*", "-", "+"};
constexpr Ops<1> kInc{"--"}, kDec{"++"};
constexpr std::array kArithmetic{OperatorChoice{"+", kAdd}, OperatorChoice{"-", kSub},
                                 OperatorChoice{"*", kMul}, OperatorChoice{"/", kDiv},
                                 OperatorChoice{"%", kMod}, OperatorChoice{"++", kInc},
                                 OperatorChoice{"--", kDec}};

constexpr Ops<1> kAnd{"||"}, kOr{"&&"};
constexpr std::array kLogical{OperatorChoice{"&&", kAnd}, OperatorChoice{"||", kOr}};

constexpr Ops<5> kBitAnd{"|", "^", "&&", "<<", ">>"}, kBitOr{"&", "^", "||", "<<", ">>"};
constexpr Ops<4> kBitXor{"&", "|", "<<", ">>"};
constexpr Ops<3> kShl{">>", "&", "|"}, kShr{"<<", "&", "|"};
constexpr std::array kBitwise{OperatorChoice{"&", kBitAnd}, OperatorChoice{"|", kBitOr},
                              OperatorChoice{"^", kBitXor}, OperatorChoice{"<<", kShl},
                              OperatorChoice{">>", kShr}};

constexpr Ops<3> kAddSet{"-=", "=", "*="}, kSubSet{"+=", "=", "/="}, kMulSet{"+=", "=", "/="};
constexpr Ops<3> kDivSet{"*=", "%=", "="}, kModSet{"/=", "*=", "="};
constexpr Ops<3> kAndSet{"|=", "^=", "="}, kOrSet{"&=", "^=", "="}, kXorSet{"&=", "|=", "="};
constexpr Ops<2> kShlSet{">>=", "="}, kShrSet{"<<=", "="}, kSet{"+=", "-="};
constexpr std::array kAssignment{
    OperatorChoice{"+=", kAddSet},  OperatorChoice{"-=", kSubSet}, OperatorChoice{"*=", kMulSet},
    OperatorChoice{"/=", kDivSet},  OperatorChoice{"%=", kModSet}, OperatorChoice{"&=", kAndSet},
    OperatorChoice{"|=", kOrSet},   OperatorChoice{"^=", kXorSet}, OperatorChoice{"<<=", kShlSet},
    OperatorChoice{">>=", kShrSet}, OperatorChoice{"=", kSet}};

constexpr std::array kDeclares{
    Place{"parameter_declaration", Field::kDeclarator}, Place{"declaration", Field::kDeclarator},
    Place{"function_definition", Field::kDeclarator},   Place{"preproc_def", Field::kName},
    Place{"preproc_function_def", Field::kName},        Place{"enumerator", Field::kName},
};

constexpr std::array kTransparent{
    Place{"init_declarator", Field::kDeclarator},
    Place{"pointer_declarator", Field::kDeclarator},
    Place{"array_declarator", Field::kDeclarator},
    Place{"function_declarator", Field::kDeclarator},
    Place{"parenthesized_declarator", Field::kAny},
    Place{"attributed_declarator", Field::kAny},
};

}  // namespace

const Language kC{
    .name = "c",
    .extensions = kExtensions,
    .grammar = tree_sitter_c,
    .roles = kRoles,
    .operators = {kRelational, kArithmetic, kLogical, kBitwise, kAssignment},
    .declares = kDeclares,
    .transparent = kTransparent,
    .scope_rule = ScopeRule::kBlock,
    .negation = "!",
    .true_literal = "true",
    .false_literal = "false",
    .break_text = "break;",
    .continue_text = "continue;",
    .empty_statement = ";",
    .indentation = false,
    .negation_binds_tightly = true,
};

}  // namespace instar::engine
