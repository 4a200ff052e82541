#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace instar::cli {

/// Columns of the terminal behind `fd`; nothing when it is none, or does not say.
std::optional<std::size_t> terminal_width(int fd);

/// `line` in at most so many columns, a character each; where it is cut, its last one is `…`.
std::string fitted(std::string_view line, std::size_t columns);

}  // namespace instar::cli
