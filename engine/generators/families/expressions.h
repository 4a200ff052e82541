#pragma once

#include <string>

#include "engine/generators/family.h"

namespace instar::engine {

/// Whether `site` is the operator token of an expression or assignment of a kind known here.
bool is_operator(const Site& site);
/// Emits the alternatives that the language's table has for the operator at `site`.
void swap_operator(const Site& site, OperatorGroup group, Candidates& out);
/// Whether the operator at `site` is in the group.
bool operator_in(const Site& site, OperatorGroup group);

/// The operator token of a binary, unary or assignment node; kNoNode when it has none.
NodeId operator_of(const SyntaxTree& tree, NodeId node);
/// Whether the node is a binary expression whose operator is in the group.
bool is_binary_of(const SyntaxTree& tree, NodeId node, OperatorGroup group);

/// Without the parentheses around it.
NodeId peel(const SyntaxTree& tree, NodeId node);
/// Whether the expression binds as tightly as a name, so that any operator may stand beside it.
bool is_tight(const SyntaxTree& tree, NodeId node);
std::string in_parentheses(std::string_view text);

/// Whether the expression is logically negated, and what it negates.
bool is_negation(const SyntaxTree& tree, NodeId node);
NodeId negated_operand(const SyntaxTree& tree, NodeId node);
/// The expression's negation as text that may stand where the expression stands.
std::string negate(const SyntaxTree& tree, NodeId node);

/// Whether the node stands where a truth value is asked for: a condition, or one side of and/or.
bool is_condition(const SyntaxTree& tree, NodeId node);
/// Whether the node is an expression that may hold a number: a name, a member, a call, a subscript,
/// arithmetic.
bool is_value(const SyntaxTree& tree, NodeId node);

}  // namespace instar::engine
