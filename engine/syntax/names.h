#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/syntax/syntax_tree.h"

namespace instar::engine {

using NameId = std::uint32_t;

/// How a name is used where it stands; only names of the same use can stand for each other.
enum class NameUse : std::uint8_t {
  kNone,      ///< not a name, or a type, a keyword argument's name, a label
  kVariable,  ///< a value
  kCallee,    ///< called
  kMember,    ///< after a dot or an arrow
  kMethod     ///< after a dot or an arrow, called
};

/// The names of one file: what is declared where, what is used where. Refers to the tree.
class NameIndex {
 public:
  explicit NameIndex(const SyntaxTree& tree);

  [[nodiscard]] NameUse use_of(NodeId node) const { return uses_[node]; }
  [[nodiscard]] NameId name_of(NodeId node) const;  ///< of an identifier or member name
  [[nodiscard]] std::string_view text(NameId name) const { return texts_[name]; }
  /// Whether the identifier is declared by standing there.
  [[nodiscard]] bool declares(NodeId node) const { return declares_[node]; }
  [[nodiscard]] std::uint32_t count(NameId name) const {
    return static_cast<std::uint32_t>(places_[name].size());
  }

  /// Names that may replace the one at `node`, likeliest first, at most `most`: same use; inner
  /// scopes before outer ones, the same declared type before others, then by the distance of their
  /// nearest use, then by frequency.
  [[nodiscard]] std::vector<NameId> alternatives(NodeId node, std::size_t most) const;

  /// Whether a value of that name can be used at `node`: declared in a scope around it, or nowhere
  /// in this file (a builtin, an include).
  [[nodiscard]] bool visible(NameId name, NodeId node) const;

 private:
  struct Declaration {
    NameId name;
    NodeId scope;  ///< the block or function that it is visible in
    std::uint32_t begin;
    std::uint64_t type;  ///< hash of its type's text, 0 when the language does not say
    bool function;
  };

  NameId intern(std::string_view text);
  void record(NodeId node);
  void declare(NodeId node);
  [[nodiscard]] std::uint32_t distance(NameId name, std::uint32_t from) const;
  [[nodiscard]] std::vector<NameId> members_like(NodeId node, std::size_t most) const;
  [[nodiscard]] std::vector<NameId> values_like(NodeId node, std::size_t most) const;

  const SyntaxTree* tree_;
  std::unordered_map<std::string_view, NameId> ids_;
  std::vector<std::string_view> texts_;
  std::vector<std::vector<std::uint32_t>> places_;  ///< byte offsets of each name's uses, ascending
  std::vector<NameUse> uses_;
  std::vector<bool> declares_;
  std::vector<NodeId> scopes_;  ///< the innermost scope around each node
  std::unordered_map<NodeId, std::vector<Declaration>> by_scope_;
  std::unordered_map<NameId, std::vector<Declaration>> by_name_;
  std::vector<NodeId> member_nodes_;  ///< first use of each (name, use)
  std::vector<NodeId> callee_nodes_;
};

}  // namespace instar::engine
