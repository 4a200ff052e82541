#include "engine/generators/description.h"

#include "base/sha256.h"
#include "base/text.h"
#include "base/utf8.h"

namespace instar::engine {

namespace {

constexpr std::size_t kMostShown = 60;  ///< bytes of each text: two of them fit a line
constexpr std::size_t kMostPath = 120;

/// At most `most` bytes, cut between characters.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  return std::string(clipped(text, most)) + "…";
}

/// Quoted, on one line, every run of blanks one space.
std::string quoted(std::string_view text) {
  std::string flat;
  for (const char c : clipped(trim(text), kMostShown * 4)) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) {
      flat += c;
    } else if (!flat.ends_with(' ')) {
      flat += ' ';
    }
  }
  return "`" + shortened(escape_for_terminal(flat), kMostShown) + "`";
}

std::string action(std::string_view before, std::string_view after,
                   std::string_view empty_statement) {
  if (trim(after).empty() || (trim(after) == empty_statement && before.size() > 1)) {
    return "delete " + quoted(before);
  }
  // A copied statement stands on a line of its own before or after.
  if (after.size() > before.size() && after.find('\n') != std::string_view::npos) {
    if (after.starts_with(before)) return "insert " + quoted(after.substr(before.size()));
    if (after.ends_with(before)) {
      return "insert " + quoted(after.substr(0, after.size() - before.size()));
    }
  }
  return "replace " + quoted(before) + " by " + quoted(after);
}

std::string_view text_before(const EditDraft& draft) {
  return draft.file->tree().text().substr(draft.candidate.begin,
                                          draft.candidate.end - draft.candidate.begin);
}

}  // namespace

std::string describe_purpose(const EditDraft& draft) {
  const SyntaxTree& tree = draft.file->tree();
  return shortened(escape_for_terminal(draft.path), kMostPath) + ":" +
         std::to_string(tree.line_of(draft.candidate.begin)) + ": " +
         std::string(families()[draft.family]->name) + ": " +
         action(text_before(draft), draft.candidate.text, tree.language().empty_statement);
}

std::string fingerprint_of(const EditDraft& draft) {
  const SyntaxTree& tree = draft.file->tree();
  return PartsHash()
      .add(families()[draft.family]->name)
      .add(tree.kind_of(draft.site))
      .add(text_before(draft))
      .add(draft.candidate.text)
      .add(draft.file->function_name(draft.file->function_of(draft.site)))
      .finish()
      .hex()
      .substr(0, 16);
}

}  // namespace instar::engine
