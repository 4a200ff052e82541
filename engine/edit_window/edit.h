#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace instar::engine {

/// The whole new content of a file; nothing: the file is deleted.
struct WholeFile {
  std::string path;
  std::optional<std::string> content;
};

/// A unified diff, of one or many files, as `git diff` or `diff -u` print it.
struct UnifiedDiff {
  std::string text;
};

/// Replaces one node of a syntax tree, given by the bytes it covers. Exact: refused unless
/// `expected` stands there.
struct SyntaxEdit {
  std::string path;
  std::uint32_t begin = 0;  ///< byte offsets into the parent's file
  std::uint32_t end = 0;
  std::string expected;
  std::string replacement;
};

/// All syntax edits of one file refer to the parent's text; they must not overlap.
using Edit = std::variant<WholeFile, UnifiedDiff, SyntaxEdit>;

}  // namespace instar::engine
