#include "engine/syntax/syntax_tree.h"

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

std::vector<Node> flatten(const GrammarTable& table, TSNode root, std::size_t& errors) {
  std::vector<Node> nodes;
  std::vector<NodeId> ancestors;
  NodeId previous = kNoNode;  // the sibling before, at the current depth
  Cursor cursor(root);
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

/// ERROR and MISSING nodes below `root`; looks only into subtrees that have any.
std::size_t count_errors(TSNode root) {
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

/// The edited text as the parser reads it, in three pieces: nothing is copied.
struct SplicedText {
  std::string_view text;
  std::uint32_t begin, end;
  std::string_view replacement;

  static const char* read(void* payload, std::uint32_t offset, TSPoint, std::uint32_t* length) {
    const auto& self = *static_cast<const SplicedText*>(payload);
    std::string_view piece;
    if (offset < self.begin) {
      piece = self.text.substr(offset, self.begin - offset);
    } else if (offset - self.begin < self.replacement.size()) {
      piece = self.replacement.substr(offset - self.begin);
    } else {
      const std::size_t at = self.end + (offset - self.begin - self.replacement.size());
      if (at < self.text.size()) piece = self.text.substr(at);
    }
    *length = static_cast<std::uint32_t>(piece.size());
    return piece.data() == nullptr ? "" : piece.data();
  }
};

TSPoint advance(TSPoint from, std::string_view over) {
  for (const char c : over) {
    if (c == '\n') {
      ++from.row;
      from.column = 0;
    } else {
      ++from.column;
    }
  }
  return from;
}

}  // namespace

void SyntaxTree::TreeDeleter::operator()(TSTree* tree) const { ts_tree_delete(tree); }
SyntaxTree::SyntaxTree(SyntaxTree&&) noexcept = default;
SyntaxTree& SyntaxTree::operator=(SyntaxTree&&) noexcept = default;
SyntaxTree::~SyntaxTree() = default;

std::string_view SyntaxTree::kind_of(NodeId id) const {
  const char* name = ts_language_symbol_name(language_->grammar(), at(id).symbol);
  return name == nullptr ? "ERROR" : name;
}

std::uint32_t SyntaxTree::line_of(std::uint32_t offset) const {
  return static_cast<std::uint32_t>(
      std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - line_starts_.begin());
}

std::uint32_t SyntaxTree::line_start(std::uint32_t offset) const {
  return line_starts_[line_of(offset) - 1];
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> SyntaxTree::item_lines(
    std::uint32_t begin, std::uint32_t end) const {
  const auto after =
      std::upper_bound(items_.begin(), items_.end(), begin,
                       [&](std::uint32_t offset, NodeId item) { return offset < at(item).begin; });
  if (after == items_.begin()) return std::nullopt;
  const Node& item = at(*std::prev(after));
  if (item.has_error || item.broken || end > item.end || line_start(item.begin) != item.begin) {
    return std::nullopt;
  }
  const auto line_end =
      static_cast<std::uint32_t>(std::min(text().find('\n', item.end), text().size()));
  // What follows on the last line belongs to another item.
  if (text().substr(item.end, line_end - item.end).find_first_not_of(" \t\r") !=
      std::string_view::npos) {
    return std::nullopt;
  }
  return std::pair(item.begin, std::min(line_end + 1, static_cast<std::uint32_t>(text().size())));
}

std::vector<NodeId> SyntaxTree::named_children(NodeId id) const {
  std::vector<NodeId> children;
  for (NodeId c = at(id).first_child; c != kNoNode; c = at(c).next) {
    if (at(c).named && at(c).role != Role::kComment) children.push_back(c);
  }
  return children;
}

NodeId SyntaxTree::child(NodeId id, Field field) const {
  NodeId c = at(id).first_child;
  while (c != kNoNode && at(c).field != field) c = at(c).next;
  return c;
}

struct Parser::Impl {
  struct Deleter {
    void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  };
  std::unique_ptr<TSParser, Deleter> parser{ts_parser_new()};
  const Language* language = nullptr;

  bool select(const Language& wanted) {
    if (language == &wanted) return true;
    if (!ts_parser_set_language(parser.get(), wanted.grammar())) return false;
    language = &wanted;
    return true;
  }
};

Parser::Parser() : impl_(std::make_unique<Impl>()) {
  ts_parser_set_timeout_micros(impl_->parser.get(), kMaxParseSeconds * 1'000'000ULL);
}
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;
Parser::~Parser() = default;

Result<SyntaxTree> Parser::parse(const Language& language, std::string text) {
  if (text.size() > kMaxTextBytes) {
    return fail(ErrorCode::kInvalidInput, "the source is larger than 1 MiB");
  }
  // The lexers take a NUL for the end of the text, so what follows would not be seen.
  if (text.find('\0') != std::string::npos) {
    return fail(ErrorCode::kInvalidInput, "the source contains a NUL byte");
  }
  if (!impl_->select(language)) {
    return fail(ErrorCode::kInternal, "the grammar of " + std::string(language.name) +
                                          " does not fit the tree-sitter library");
  }
  SyntaxTree made;
  made.language_ = &language;
  made.text_ = std::make_unique<const std::string>(std::move(text));
  made.tree_.reset(ts_parser_parse_string(impl_->parser.get(), nullptr, made.text_->data(),
                                          static_cast<std::uint32_t>(made.text_->size())));
  if (!made.tree_) {
    ts_parser_reset(impl_->parser.get());
    return fail(ErrorCode::kInvalidInput, "the source takes too long to parse");
  }
  made.line_starts_.push_back(0);
  for (std::uint32_t at = 0; at < made.text_->size(); ++at) {
    if ((*made.text_)[at] == '\n') made.line_starts_.push_back(at + 1);
  }
  made.nodes_ =
      flatten(GrammarTable::of(language), ts_tree_root_node(made.tree_.get()), made.errors_);
  for (NodeId item = made.nodes_.front().first_child; item != kNoNode; item = made.at(item).next) {
    made.items_.push_back(item);
  }
  return made;
}

bool Parser::parses_with(const SyntaxTree& tree, std::uint32_t begin, std::uint32_t end,
                         std::string_view replacement) {
  if (!impl_->select(tree.language()) || replacement.find('\0') != std::string_view::npos) {
    return false;
  }
  const auto lines = tree.item_lines(begin, end);
  if (!lines || (lines->second - lines->first) * 2 > tree.text().size()) {
    return whole_parses_with(tree, begin, end, replacement);
  }
  const auto [from, to] = *lines;
  SplicedText spliced{tree.text().substr(from, to - from), begin - from, end - from, replacement};
  const TSInput input{&spliced, SplicedText::read, TSInputEncodingUTF8};
  const std::unique_ptr<TSTree, SyntaxTree::TreeDeleter> parsed(
      ts_parser_parse(impl_->parser.get(), nullptr, input));
  if (parsed) return !ts_node_has_error(ts_tree_root_node(parsed.get()));
  ts_parser_reset(impl_->parser.get());
  return false;
}

bool Parser::whole_parses_with(const SyntaxTree& tree, std::uint32_t begin, std::uint32_t end,
                               std::string_view replacement) {
  const std::unique_ptr<TSTree, SyntaxTree::TreeDeleter> edited(ts_tree_copy(tree.tree_.get()));
  const TSPoint start{tree.line_of(begin) - 1, begin - tree.line_start(begin)};
  const TSInputEdit edit{.start_byte = begin,
                         .old_end_byte = end,
                         .new_end_byte = begin + static_cast<std::uint32_t>(replacement.size()),
                         .start_point = start,
                         .old_end_point = advance(start, tree.text().substr(begin, end - begin)),
                         .new_end_point = advance(start, replacement)};
  ts_tree_edit(edited.get(), &edit);
  SplicedText spliced{tree.text(), begin, end, replacement};
  const TSInput input{&spliced, SplicedText::read, TSInputEncodingUTF8};
  const std::unique_ptr<TSTree, SyntaxTree::TreeDeleter> parsed(
      ts_parser_parse(impl_->parser.get(), edited.get(), input));
  if (!parsed) {
    ts_parser_reset(impl_->parser.get());
    return false;
  }
  return count_errors(ts_tree_root_node(parsed.get())) <= tree.errors();
}

}  // namespace instar::engine
