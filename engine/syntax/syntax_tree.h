#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/syntax/language.h"

struct TSTree;

namespace instar::engine {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffff;

/// One node, flat: the tree is an array in document order, so that no walk needs recursion and a
/// text nested a million deep costs memory, not stack.
struct Node {
  std::uint32_t begin = 0;  ///< bytes
  std::uint32_t end = 0;
  NodeId parent = kNoNode;
  NodeId first_child = kNoNode;
  NodeId next = kNoNode;  ///< the next sibling
  std::uint16_t symbol = 0;
  Role role = Role::kOther;
  Field field = Field::kNone;
  bool named = false;
  bool broken = false;     ///< inside an ERROR node, or is one, or is MISSING
  bool has_error = false;  ///< itself or something below is broken
};

/// A parsed file: immutable. Node 0 is the root.
class SyntaxTree {
 public:
  SyntaxTree(SyntaxTree&&) noexcept;
  SyntaxTree& operator=(SyntaxTree&&) noexcept;
  ~SyntaxTree();

  [[nodiscard]] const Language& language() const { return *language_; }
  [[nodiscard]] std::string_view text() const { return *text_; }
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
  [[nodiscard]] const Node& at(NodeId id) const { return nodes_[id]; }
  [[nodiscard]] std::string_view text_of(NodeId id) const {
    return text().substr(at(id).begin, at(id).end - at(id).begin);
  }
  /// The grammar's name of the node's kind.
  [[nodiscard]] std::string_view kind_of(NodeId id) const;
  /// Named children in order, comments left out.
  [[nodiscard]] std::vector<NodeId> named_children(NodeId id) const;
  /// The first child in that field; kNoNode when none.
  [[nodiscard]] NodeId child(NodeId id, Field field) const;
  [[nodiscard]] std::size_t errors() const { return errors_; }  ///< ERROR and MISSING nodes
  /// The line of a byte, from 1.
  [[nodiscard]] std::uint32_t line_of(std::uint32_t offset) const;
  /// Where that line begins.
  [[nodiscard]] std::uint32_t line_start(std::uint32_t offset) const;
  /// The lines of the top-level item that [begin, end) is in, when it has lines of its own and no
  /// errors; else nothing.
  [[nodiscard]] std::optional<std::pair<std::uint32_t, std::uint32_t>> item_lines(
      std::uint32_t begin, std::uint32_t end) const;

 private:
  friend class Parser;
  struct TreeDeleter {
    void operator()(TSTree* tree) const;
  };
  SyntaxTree() = default;
  const Language* language_ = nullptr;
  std::unique_ptr<const std::string> text_;
  std::unique_ptr<TSTree, TreeDeleter> tree_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> line_starts_;
  std::vector<NodeId> items_;  ///< the root's children, in order
  std::size_t errors_ = 0;
};

/// Owns a tree-sitter parser. Not thread-safe.
class Parser {
 public:
  Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;
  ~Parser();

  /// Parses any bytes; a text with syntax errors gives a tree whose broken parts are marked. Fails
  /// with kInvalidInput for a NUL, for a text above `kMaxTextBytes`, and for one that takes longer
  /// than `kMaxParseSeconds`.
  Result<SyntaxTree> parse(const Language& language, std::string text);

  /// Whether the tree's text still parses with [begin, end) replaced: no ERROR or MISSING node more
  /// than before. Parses only the top-level item that the edit is in where that is enough, else
  /// what tree-sitter cannot reuse. May say no to an edit that joins its item with a later one.
  bool parses_with(const SyntaxTree& tree, std::uint32_t begin, std::uint32_t end,
                   std::string_view replacement);

  /// Larger sources are generated, not written; the surface's cap is the same.
  static constexpr std::size_t kMaxTextBytes = 1 << 20;
  /// Error recovery can be slow on hostile text; a written source of 1 MiB takes 0.3 s.
  static constexpr unsigned kMaxParseSeconds = 10;

 private:
  struct Impl;
  /// The same on the whole text.
  bool whole_parses_with(const SyntaxTree& tree, std::uint32_t begin, std::uint32_t end,
                         std::string_view replacement);
  std::unique_ptr<Impl> impl_;
};

}  // namespace instar::engine
