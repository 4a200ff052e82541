#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace instar::engine {

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

  /// Whether a path matches. Folded patterns are compared with both the folded and the exact name,
  /// since folding may change the number of characters that `?` counts.
  [[nodiscard]] bool matches(std::string_view path) const;

 private:
  using Component = std::vector<char32_t>;  ///< code points and the wildcards of glob.cc
  static bool matches_components(const std::vector<Component>& pattern, std::string_view path);

  std::vector<Component> exact_;
  std::vector<Component> folded_;  ///< empty for Names::kExact
};

}  // namespace instar::engine
