#include "engine/edit_window/glob.h"

#include "base/text.h"
#include "engine/edit_window/path_alias.h"

namespace instar::engine {

namespace {

// Beyond the last code point, so that no text can contain them.
constexpr char32_t kOneCharacter = 0x110000;
constexpr char32_t kAnyText = 0x110001;
constexpr char32_t kAnyComponents = 0x110002;  ///< a component of this alone: zero or more

/// Matches `text` against `pattern`, where `is_run` says which elements of the pattern match any
/// number of elements of the text, and `equal` compares two single ones. Only the last run is ever
/// extended: what earlier runs took can stay as it is, since a run accepts anything.
template <class Pattern, class Text, class IsRun, class Equal>
bool matches_with_runs(const Pattern& pattern, const Text& text, IsRun is_run, Equal equal) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t after_run = std::string_view::npos;
  std::size_t run_end = 0;
  while (t < text.size()) {
    if (p < pattern.size() && is_run(pattern[p])) {
      after_run = ++p;
      run_end = t;
    } else if (p < pattern.size() && equal(pattern[p], text[t])) {
      ++p;
      ++t;
    } else if (after_run != std::string_view::npos) {
      p = after_run;
      t = ++run_end;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && is_run(pattern[p])) ++p;
  return p == pattern.size();
}

bool matches_one(const PathForms::Component& pattern, const PathForms::Component& text) {
  return matches_with_runs(
      pattern, text, [](char32_t c) { return c == kAnyText; },
      [](char32_t c, char32_t t) { return c == kOneCharacter || c == t; });
}

PathForms::Component decoded(std::string_view text) {
  PathForms::Component out;
  for (std::size_t at = 0; at < text.size();) {
    const auto code = next_code_point(text, at);
    // A byte that is no UTF-8 becomes a value that no pattern can name; path rules refuse it.
    out.push_back(code ? *code : 0x110100 + static_cast<unsigned char>(text[at++]));
  }
  return out;
}

bool matches_path(const std::vector<PathForms::Component>& pattern,
                  const std::vector<PathForms::Component>& path) {
  return matches_with_runs(
      pattern, path,
      [](const PathForms::Component& c) { return c.size() == 1 && c.front() == kAnyComponents; },
      matches_one);
}

std::vector<PathForms::Component> components_of(std::string_view path) {
  std::vector<PathForms::Component> out;
  for (const std::string_view part : split(path, '/')) out.push_back(decoded(part));
  return out;
}

PathForms::Component compile_component(std::string_view part, Glob::Names names) {
  if (part == "**") return {kAnyComponents};
  PathForms::Component out;
  for (std::size_t at = 0; at < part.size();) {
    const auto end = std::min(part.find_first_of("*?", at), part.size());
    std::string literal(part.substr(at, end - at));
    if (names == Glob::Names::kFolded) literal = caseless(literal).value_or(literal);
    for (const char32_t code : decoded(literal)) out.push_back(code);
    if (end < part.size()) out.push_back(part[end] == '*' ? kAnyText : kOneCharacter);
    at = end + 1;
  }
  return out;
}

std::vector<PathForms::Component> compile_path(std::string_view pattern, Glob::Names names,
                                               Glob::Anchor anchor, Glob::Covers covers) {
  const bool below = pattern.back() == '/';
  if (below) pattern.remove_suffix(1);
  const auto parts = split(pattern, '/');
  std::vector<PathForms::Component> out;
  if (parts.size() == 1 && anchor == Glob::Anchor::kNameAnywhere) out.push_back({kAnyComponents});
  for (const std::string_view part : parts) out.push_back(compile_component(part, names));
  // `src/**` and `src/` are what lies below src, not a file of that name.
  if (below || parts.back() == "**") out.push_back({kAnyText});
  if (below || covers == Glob::Covers::kPathAndBelow) out.push_back({kAnyComponents});
  return out;
}

/// Why the pattern means something that is not done here, or empty.
std::string fault_of(std::string_view pattern) {
  if (pattern.empty()) return "is empty";
  if (pattern.front() == '/') return "begins with `/`; patterns are relative to the target's root";
  if (pattern.front() == '!') return "begins with `!`; write the exception under `deny`";
  if (const auto at = pattern.find_first_of("[]{}\\"); at != std::string_view::npos) {
    return std::string("has `") + pattern[at] +
           "`, which is not supported; write several patterns, or `?` for one character";
  }
  const bool below = pattern.size() > 1 && pattern.back() == '/';
  for (const std::string_view part : split(pattern.substr(0, pattern.size() - below), '/')) {
    if (part.empty()) return "has an empty component";
    if (part == "." || part == "..") return "has a `.` or `..` component";
    if (part != "**" && part.find("**") != std::string_view::npos) {
      return "has `**` inside a component; it stands for whole components, as in src/**";
    }
  }
  for (std::size_t at = 0; at < pattern.size();) {
    const auto code = next_code_point(pattern, at);
    if (!code) return "is not valid UTF-8";
    if (is_deceptive(*code)) return "has an invisible character";
  }
  return nfc(pattern) == pattern ? "" : "is not in Unicode normal form C";
}

}  // namespace

PathForms::PathForms(std::string_view path) : exact(components_of(path)) {
  if (const auto plain = engine::folded(path)) folded = components_of(*plain);
}

Result<Glob> Glob::compile(std::string_view pattern, Names names, Anchor anchor, Covers covers) {
  if (const std::string fault = fault_of(pattern); !fault.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "the pattern `" + escape_for_terminal(pattern) + "` " + fault,
                "`*` is any text in one component, `?` one character, `**` any directories");
  }
  Glob glob;
  glob.exact_ = compile_path(pattern, Names::kExact, anchor, covers);
  if (names == Names::kFolded) glob.folded_ = compile_path(pattern, names, anchor, covers);
  return glob;
}

bool Glob::matches(const PathForms& path) const {
  if (matches_path(exact_, path.exact)) return true;
  return !folded_.empty() && (!path.folded || matches_path(folded_, *path.folded));
}

}  // namespace instar::engine
