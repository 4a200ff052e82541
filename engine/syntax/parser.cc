#include <tree_sitter/api.h>

#include <utility>

#include "engine/syntax/flatten.h"
#include "engine/syntax/syntax_tree.h"

namespace instar::engine {

namespace {

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

struct Parser::Impl {
  struct Deleter {
    void operator()(TSParser* owned) const { ts_parser_delete(owned); }
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
  made.nodes_ = flatten(language, *made.tree_, made.errors_);
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
  if (!lines || lines->second - lines->first > tree.text().size() / 2) {
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
  return count_errors(*parsed) <= tree.errors();
}

}  // namespace instar::engine
