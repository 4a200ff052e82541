#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace instar::engine {

/// A file name of a `---` or `+++` line: without the tab and timestamp behind it, with git's
/// C-style quoting undone. Nothing when the quoting is broken.
std::optional<std::string> diff_name(std::string_view text);

/// The one path that `a/PATH b/PATH` (or `PATH PATH`, as without prefixes) names in a
/// `diff --git` line; nothing when the two differ.
struct GitHeaderName {
  std::string path;
  std::string old_name;  ///< as `---` must repeat it
  std::string new_name;  ///< as `+++` must repeat it
};
std::optional<GitHeaderName> git_header_name(std::string_view text);

}  // namespace instar::engine
