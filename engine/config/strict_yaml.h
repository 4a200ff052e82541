#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace instar::engine {

/// A place in a file, both counted from 1.
struct Position {
  unsigned line = 1;
  unsigned column = 1;
};

struct YamlKey {
  std::string name;
  Position at;
};

/// One value of a strict document. Scalars are text: what they mean is for the reader to say.
struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap } kind = Kind::kNull;
  Position at;
  std::string text{};             ///< of a scalar
  bool quoted = false;            ///< "2" is text, 2 is a number
  std::vector<YamlKey> keys{};    ///< of a map, unique, in the order of the file
  std::vector<YamlNode> items{};  ///< of a sequence; of a map, one value for each key
};

/// The largest file that is read: a hundred times what a long configuration needs.
inline constexpr std::size_t kMaxConfigBytes = 1 << 20;

/// Reads one document of the part of YAML that cannot surprise: maps with unique plain keys,
/// sequences and scalars. Refused, each at its line and column: anchors, aliases and merge keys (a
/// small file could stand for a huge or a different one), tags, several documents, duplicate keys,
/// deep nesting, too many values, invalid UTF-8, and characters that show a reviewer something else
/// than what is read. `name` stands in errors as "name:line:column". An empty text is a null node.
Result<YamlNode> parse_strict_yaml(std::string_view text, const std::string& name);

/// "name:line:column".
std::string place(const std::string& name, Position at);

}  // namespace instar::engine
