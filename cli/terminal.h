#pragma once

#include <cstddef>
#include <optional>

namespace instar::cli {

/// Columns of the terminal behind `fd`; nothing when it is none, or does not say.
std::optional<std::size_t> terminal_width(int fd);

}  // namespace instar::cli
