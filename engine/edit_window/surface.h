#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace instar::engine {

/// A text of a configuration with the place it was written.
struct Sourced {
  std::string value;
  std::string source;  ///< "instar.yaml:4", "safety.yaml:12" or "built-in"
};

/// What a variant may change, as patterns (glob.h): allowed, minus denied, minus protected. A
/// pattern without `/` matches the name at any depth only where it protects; else it is anchored at
/// the root.
struct Surface {
  std::vector<Sourced> allow;
  std::vector<Sourced> deny;
  std::vector<Sourced>
      protect;  ///< policy's additions and sealed files; the built-in ones always apply
  std::uint64_t max_file_bytes = 1 << 20;  ///< a source file above 1 MiB is generated, not written
};

}  // namespace instar::engine
