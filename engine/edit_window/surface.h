#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace instar::engine {

/// A glob with where it was written: "src/**", "*.py", "deploy/**". `*` stays inside one component,
/// `**` spans any number, `?` is one character; matched on normalised components, never on text
/// prefixes. A pattern without `/` matches the name at any depth only in protected rules; in a
/// surface it is anchored at the root.
struct PathRule {
  std::string pattern;
  std::string source;  ///< "instar.yaml:4", "safety.yaml:12" or "built-in"
};

/// What a variant may change: allowed, minus denied, minus protected.
struct Surface {
  std::vector<PathRule> allow;
  std::vector<PathRule> deny;
  std::vector<PathRule>
      protect;  ///< policy's additions, sealed and hidden; the built-in ones always apply
  std::uint64_t max_file_bytes = 1 << 20;  ///< a source file above 1 MiB is generated, not written
};

}  // namespace instar::engine
