#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

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
  enum class Names { kExact, kFolded };        ///< compare bytes, or names as path_alias folds them
  enum class Anchor { kRoot, kNameAnywhere };  ///< may a pattern without `/` match at any depth?
  enum class Covers { kPath, kPathAndBelow };  ///< does a match cover what lies below it?

  /// kInvalidInput for a pattern that says something this matcher would not do (character classes,
  /// braces, `!`, `..`, a leading `/`): a protecting pattern that silently matches nothing would
  /// leave its files open.
  static Result<Glob> compile(std::string_view pattern, Names names, Anchor anchor, Covers covers);

  /// Folded patterns are compared with both the folded and the exact name, since folding may change
  /// the number of characters that `?` counts.
  [[nodiscard]] bool matches(const PathForms& path) const;

 private:
  std::vector<PathForms::Component> exact_;
  std::vector<PathForms::Component> folded_;  ///< empty for Names::kExact
};

}  // namespace instar::engine
