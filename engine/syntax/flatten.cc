#include "engine/syntax/flatten.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <array>
#include <utility>

namespace instar::engine {

namespace {

constexpr std::array<std::pair<std::string_view, Field>, 26> kFieldNames{{
    {"condition", Field::kCondition},
    {"operator", Field::kOperator},
    {"operators", Field::kOperator},
    {"left", Field::kLeft},
    {"right", Field::kRight},
    {"arguments", Field::kArguments},
    {"function", Field::kFunction},
    {"name", Field::kName},
    {"body", Field::kBody},
    {"consequence", Field::kBody},
    {"alternative", Field::kOther},
    {"subscript", Field::kIndex},
    {"index", Field::kIndex},
    {"value", Field::kValue},
    {"declarator", Field::kDeclarator},
    {"type", Field::kType},
    {"object", Field::kObject},
    {"attribute", Field::kMember},
    {"field", Field::kMember},
    {"alias", Field::kAlias},
    {"argument", Field::kArgument},
    {"update", Field::kOther},
    {"initializer", Field::kOther},
    {"size", Field::kOther},
    {"return_type", Field::kType},
    {"parameters", Field::kOther},
}};

/// The roles and fields of one grammar by its numbers, made once.
struct GrammarTable {
  std::vector<Role> roles;
  std::vector<Field> fields;

  explicit GrammarTable(const Language& language) {
    const TSLanguage* grammar = language.grammar();
    roles.assign(ts_language_symbol_count(grammar), Role::kOther);
    for (std::uint32_t symbol = 0; symbol < roles.size(); ++symbol) {
      const auto number = static_cast<TSSymbol>(symbol);
      if (ts_language_symbol_type(grammar, number) != TSSymbolTypeRegular) continue;
      const std::string_view name = ts_language_symbol_name(grammar, number);
      for (const KindRole& entry : language.roles) {
        if (entry.kind == name) roles[symbol] = entry.role;
      }
    }
    fields.assign(ts_language_field_count(grammar) + 1, Field::kOther);
    fields[0] = Field::kNone;
    for (std::uint32_t field = 1; field < fields.size(); ++field) {
      const std::string_view name =
          ts_language_field_name_for_id(grammar, static_cast<TSFieldId>(field));
      for (const auto& [known, ours] : kFieldNames) {
        if (known == name) fields[field] = ours;
      }
    }
  }

  static const GrammarTable& of(const Language& language) {
    static const std::vector<GrammarTable> tables = [] {
      std::vector<GrammarTable> made;
      for (const Language* known : languages()) made.emplace_back(*known);
      return made;
    }();
    const auto known = languages();
    return tables[static_cast<std::size_t>(std::find(known.begin(), known.end(), &language) -
                                           known.begin())];
  }
};

/// Walks a tree without recursion; owns the cursor.
class Cursor {
 public:
  explicit Cursor(TSNode root) : cursor_(ts_tree_cursor_new(root)) {}
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  ~Cursor() { ts_tree_cursor_delete(&cursor_); }
  TSTreeCursor* get() { return &cursor_; }
  [[nodiscard]] TSNode node() const { return ts_tree_cursor_current_node(&cursor_); }

 private:
  TSTreeCursor cursor_;
};

Node describe(const GrammarTable& table, TSNode node, TSFieldId field) {
  Node made;
  made.begin = ts_node_start_byte(node);
  made.end = ts_node_end_byte(node);
  made.symbol = ts_node_symbol(node);
  made.role = made.symbol < table.roles.size() ? table.roles[made.symbol] : Role::kError;
  made.field = table.fields[field];
  made.named = ts_node_is_named(node);
  made.has_error = ts_node_has_error(node);
  made.broken = made.role == Role::kError || ts_node_is_missing(node);
  return made;
}

}  // namespace

std::vector<Node> flatten(const Language& language, const TSTree& tree, std::size_t& errors) {
  const GrammarTable& table = GrammarTable::of(language);
  errors = 0;
  std::vector<Node> nodes;
  std::vector<NodeId> ancestors;
  NodeId previous = kNoNode;  // the sibling before, at the current depth
  Cursor cursor(ts_tree_root_node(&tree));
  for (;;) {
    const auto id = static_cast<NodeId>(nodes.size());
    nodes.push_back(describe(table, cursor.node(), ts_tree_cursor_current_field_id(cursor.get())));
    Node& made = nodes.back();
    if (made.broken) ++errors;
    if (!ancestors.empty()) {
      made.parent = ancestors.back();
      if (nodes[made.parent].broken) made.broken = true;
    }
    if (previous != kNoNode) {
      nodes[previous].next = id;
    } else if (made.parent != kNoNode) {
      nodes[made.parent].first_child = id;
    }
    if (ts_tree_cursor_goto_first_child(cursor.get())) {
      ancestors.push_back(id);
      previous = kNoNode;
      continue;
    }
    previous = id;
    while (!ts_tree_cursor_goto_next_sibling(cursor.get())) {
      if (ancestors.empty() || !ts_tree_cursor_goto_parent(cursor.get())) return nodes;
      previous = ancestors.back();
      ancestors.pop_back();
    }
  }
}

std::size_t count_errors(const TSTree& tree) {
  const TSNode root = ts_tree_root_node(&tree);
  if (!ts_node_has_error(root)) return 0;
  std::size_t errors = 0;
  Cursor cursor(root);
  for (;;) {
    const TSNode node = cursor.node();
    // 0xffff is the symbol that every grammar gives to ERROR.
    if (ts_node_is_missing(node) || ts_node_symbol(node) == 0xffff) ++errors;
    if (ts_node_has_error(node) && ts_tree_cursor_goto_first_child(cursor.get())) continue;
    while (!ts_tree_cursor_goto_next_sibling(cursor.get())) {
      if (!ts_tree_cursor_goto_parent(cursor.get())) return errors;
    }
  }
}

}  // namespace instar::engine
