#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"
#include "engine/edit_window/path_alias.h"
#include "engine/edit_window/path_rules.h"
#include "engine/edit_window/surface_rules.h"

using namespace instar::engine;

/// The input is a path, and behind the first newline a pattern. No path that a variant could change
/// on an open surface may fold to a name that is git's or Instar's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto newline = input.find('\n');
  const std::string_view path = input.substr(0, newline);
  static const auto open =
      SurfaceRules::compile({.allow = {{"**", "all"}}, .deny = {}, .protect = {}}).value();
  if (check_path(path) && open.check(path)) {
    const std::string plain = folded(path).value();
    for (const std::string_view part : instar::split(plain, '/')) {
      const bool reserved = part.empty() || part == "." || part == ".." ||
                            part.starts_with(".git") || has_short_name_form(part) ||
                            part == "instar.yaml" || part == "safety.yaml";
      if (reserved) std::abort();
    }
    if (instar::escape_for_terminal(path) != path) std::abort();
  }
  if (newline == std::string_view::npos) return 0;
  const std::string pattern(input.substr(newline + 1));
  const auto rules =
      SurfaceRules::compile({.allow = {{"**", "all"}}, .deny = {{pattern, "fuzz"}}, .protect = {}});
  // A pattern of literal text denies the very path that it spells.
  if (rules && pattern == path && check_path(path) && rules->check(path)) std::abort();
  return 0;
}
