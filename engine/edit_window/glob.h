#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/edit_window/surface.h"

namespace instar::engine {

/// A path as globs compare it, taken apart once for all of them.
struct PathForms {
  /// Code points; in a pattern also the wildcards of glob.cc.
  using Component = std::vector<char32_t>;

  explicit PathForms(std::string_view path);

  std::vector<Component> exact;
  /// As path_alias folds it. Nothing when it is no UTF-8: it cannot be compared, so every folded
  /// pattern covers it.
  std::optional<std::vector<Component>> folded;
};

/// A compiled path pattern. `*` is any text inside one component, `?` one character, `**` (a whole
/// component) any number of components; a final `/**` or `/` is everything below. Everything else
/// is literal. Matching takes time in O(pattern × path) for any input: there is no recursion.
class Glob {
 public:
  /// What a match means. One that permits compares exact names and covers just what it matches.
  /// The others compare names also as path_alias folds them, and cover everything below a match.
  /// One that protects matches at any depth when it is a name without `/`; the others begin at the
  /// root.
  enum class Use { kPermit, kDeny, kProtect };

  /// kInvalidInput for a pattern that says something this matcher would not do (character classes,
  /// braces, `!`, `..`, a leading `/`): a protecting pattern that silently matches nothing would
  /// leave its files open.
  static Result<Glob> compile(std::string_view pattern, Use use);

  /// Folded patterns are compared with both the folded and the exact name, since folding may change
  /// the number of characters that `?` counts.
  [[nodiscard]] bool matches(const PathForms& path) const;

 private:
  std::vector<PathForms::Component> exact_;
  std::vector<PathForms::Component> folded_;  ///< empty for Use::kPermit
};

/// Patterns of a configuration, in their order; an error names the place of its pattern.
Result<std::vector<Glob>> compile_globs(const std::vector<Sourced>& patterns, Glob::Use use);

/// Why a pattern is none, and what to write instead.
struct PatternFault {
  std::string what;  ///< completes "`src/**b` …"
  std::string fix;
};

/// What Glob::compile would refuse; nothing for a good pattern.
std::optional<PatternFault> fault_of_pattern(std::string_view pattern);

}  // namespace instar::engine
