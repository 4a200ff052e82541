#pragma once

#include <span>
#include <string_view>

namespace instar::engine {

/// A name that no variant may touch, whatever the surface says.
struct ProtectedPath {
  std::string_view pattern;  ///< a name at any depth, or a path anywhere (`**/…`)
  std::string_view reason;   ///< completes "protected, because …"
};

/// The built-in protected paths. A policy adds to them; nothing removes one. A pattern that matches
/// a directory covers everything below it. Compared folded, so `.GIT` and `jenkinsﬁle` match too.
std::span<const ProtectedPath> built_in_protected_paths();

}  // namespace instar::engine
