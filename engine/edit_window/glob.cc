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

enum class Names { kExact, kFolded };

PathForms::Component compile_component(std::string_view part, Names names) {
  if (part == "**") return {kAnyComponents};
  PathForms::Component out;
  for (std::size_t at = 0; at < part.size();) {
    const auto end = std::min(part.find_first_of("*?", at), part.size());
    std::string literal(part.substr(at, end - at));
    if (names == Names::kFolded) literal = caseless(literal).value_or(literal);
    for (const char32_t code : decoded(literal)) out.push_back(code);
    if (end < part.size()) out.push_back(part[end] == '*' ? kAnyText : kOneCharacter);
    at = end + 1;
  }
  return out;
}

std::vector<PathForms::Component> compile_path(std::string_view pattern, Names names,
                                               Glob::Use use) {
  const bool below = pattern.back() == '/';
  if (below) pattern.remove_suffix(1);
  const auto parts = split(pattern, '/');
  std::vector<PathForms::Component> out;
  if (parts.size() == 1 && use == Glob::Use::kProtect) out.push_back({kAnyComponents});
  for (const std::string_view part : parts) out.push_back(compile_component(part, names));
  // `src/**` and `src/` are what lies below src, not a file of that name.
  if (below || parts.back() == "**") out.push_back({kAnyText});
  if (below || use != Glob::Use::kPermit) out.push_back({kAnyComponents});
  return out;
}

std::optional<PatternFault> fault_of_text(std::string_view pattern) {
  for (std::size_t at = 0; at < pattern.size();) {
    const auto code = next_code_point(pattern, at);
    if (!code) return PatternFault{"is not valid UTF-8", "write the name in UTF-8"};
    if (is_deceptive(*code)) {
      return PatternFault{"has an invisible character", "write `?` for one that is in a name"};
    }
  }
  if (nfc(pattern) == pattern) return std::nullopt;
  return PatternFault{"is not in Unicode normal form C", "type the name anew: é as one character"};
}

}  // namespace

std::optional<PatternFault> fault_of_pattern(std::string_view pattern) {
  if (pattern.empty()) return PatternFault{"is empty", "write a path or a pattern: src/**"};
  if (pattern.front() == '!') {
    return PatternFault{"begins with `!`", "write exceptions under surface.deny"};
  }
  if (const auto at = pattern.find_first_of("[]{}\\"); at != std::string_view::npos) {
    return PatternFault{std::string("holds `") + pattern[at] + "`, which patterns do not know",
                        "use `*`, `?` and `**`, several patterns, and `/` between components"};
  }
  const bool below = pattern.size() > 1 && pattern.back() == '/';
  for (const std::string_view part : split(pattern.substr(0, pattern.size() - below), '/')) {
    if (part.empty() || part == "." || part == "..") {
      return PatternFault{"is not a path below the repository's root",
                          "write it relative to the root, without a leading `/`, `//`, `.` or "
                          "`..`: src/** or src/main.c"};
    }
    if (part != "**" && part.find("**") != std::string_view::npos) {
      return PatternFault{"has `**` inside a component",
                          "`**` stands alone between slashes: src/**/*.c"};
    }
  }
  return fault_of_text(pattern);
}

PathForms::PathForms(std::string_view path) : exact(components_of(path)) {
  if (const auto plain = engine::folded(path)) folded = components_of(*plain);
}

Result<Glob> Glob::compile(std::string_view pattern, Use use) {
  if (const auto fault = fault_of_pattern(pattern)) {
    return fail(ErrorCode::kInvalidInput,
                "the pattern `" + escape_for_terminal(pattern) + "` " + fault->what, fault->fix);
  }
  Glob glob;
  glob.exact_ = compile_path(pattern, Names::kExact, use);
  if (use != Use::kPermit) glob.folded_ = compile_path(pattern, Names::kFolded, use);
  return glob;
}

Result<std::vector<Glob>> compile_globs(const std::vector<Sourced>& patterns, Glob::Use use) {
  std::vector<Glob> globs;
  for (const auto& [pattern, source] : patterns) {
    auto glob = Glob::compile(pattern, use);
    if (!glob) return fail(glob.error().while_doing(source));
    globs.push_back(std::move(*glob));
  }
  return globs;
}

bool Glob::matches(const PathForms& path) const {
  if (matches_path(exact_, path.exact)) return true;
  return !folded_.empty() && (!path.folded || matches_path(folded_, *path.folded));
}

}  // namespace instar::engine
