#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/syntax/names.h"
#include "engine/syntax/syntax_tree.h"

namespace instar::engine {

/// A statement that may be deleted, copied or moved: a direct child of a block, inside a function
/// or at a script's top level, free of syntax errors.
struct Statement {
  NodeId node = kNoNode;
  NodeId function = kNoNode;  ///< the one around it, kNoNode at the top level
  std::vector<NameId> names;  ///< distinct names of values and callees in it; empty when not small
  bool small = false;         ///< short enough to be copied elsewhere
};

/// A parsed source file with what the operator families ask about. Immutable; shared by all parents
/// that have the same blob.
class SourceFile {
 public:
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;
  static Result<std::shared_ptr<const SourceFile>> parse(Parser& parser, const Language& language,
                                                         std::string text);

  [[nodiscard]] const SyntaxTree& tree() const { return tree_; }
  [[nodiscard]] const NameIndex& names() const { return names_; }
  [[nodiscard]] const std::vector<Statement>& statements() const { return statements_; }
  /// The entry of a statement's node; null when it is not one.
  [[nodiscard]] const Statement* statement_at(NodeId node) const;

  /// The innermost function around a node (kNoNode at the top level), and its name ("" there).
  [[nodiscard]] NodeId function_of(NodeId node) const { return functions_[node]; }
  [[nodiscard]] std::string_view function_name(NodeId function) const;

  /// Whether the edit window lets a variant change these bytes: inside an EVOLVE-BLOCK region, or
  /// the file has no marker.
  [[nodiscard]] bool may_change(std::uint32_t begin, std::uint32_t end) const;

 private:
  explicit SourceFile(SyntaxTree tree);
  void find_functions();
  void find_statements();
  void find_regions();

  SyntaxTree tree_;
  NameIndex names_;
  std::vector<NodeId> functions_;
  std::vector<Statement> statements_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> regions_;
  bool restricted_ = false;  ///< to `regions_`
};

/// A copied statement is at most this long: larger ones are programs of their own and nearly never
/// the missing piece (GenProg's and PAR's repairs are one to three lines).
inline constexpr std::size_t kMaxCopiedBytes = 400;

bool is_statement(Role role);

}  // namespace instar::engine
