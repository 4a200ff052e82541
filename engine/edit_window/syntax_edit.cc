#include "engine/edit_window/syntax_edit.h"

#include <algorithm>
#include <utility>

namespace instar::engine {

namespace {

std::string range_of(const SyntaxEdit& edit) {
  return "bytes " + std::to_string(edit.begin) + " to " + std::to_string(edit.end);
}

tl::unexpected<Refusal> inexact(const std::string& path, std::string message) {
  return refuse(path, "inexact", std::move(message),
                "edits of separate nodes, each with the text that stands in the parent's file");
}

}  // namespace

OrRefusal<std::optional<std::string>> apply_syntax_edits(const std::string& path,
                                                         std::vector<const SyntaxEdit*> edits,
                                                         const std::optional<std::string>& before) {
  if (!before) return inexact(path, "the parent has no such file");
  std::sort(edits.begin(), edits.end(), [](const SyntaxEdit* a, const SyntaxEdit* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  std::string after;
  std::size_t copied = 0;
  const SyntaxEdit* last = nullptr;
  for (const SyntaxEdit* edit : edits) {
    if (edit->begin > edit->end || edit->end > before->size()) {
      return inexact(path, range_of(*edit) + " are not in the file, which has " +
                               std::to_string(before->size()));
    }
    const std::string_view there =
        std::string_view(*before).substr(edit->begin, edit->end - edit->begin);
    if (there != edit->expected) {
      return inexact(path, range_of(*edit) + " are " + show_text(there) + ", not " +
                               show_text(edit->expected));
    }
    const bool same_place = last != nullptr && last->begin == edit->begin && last->end == edit->end;
    if (edit->begin < copied || same_place) {
      return inexact(path, "two edits overlap at byte " + std::to_string(edit->begin));
    }
    after.append(*before, copied, edit->begin - copied);
    after += edit->replacement;
    copied = edit->end;
    last = edit;
  }
  after.append(*before, copied);
  return std::optional(std::move(after));
}

}  // namespace instar::engine
