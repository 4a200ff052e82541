#pragma once

#include <string_view>

#include "engine/edit_window/refusal.h"

namespace instar::engine {

/// A path longer than this cannot be opened on Linux (PATH_MAX with its final zero).
inline constexpr std::size_t kMaxPathBytes = 4095;
/// NAME_MAX of every common file system; git stores longer names, and no checkout could write them.
inline constexpr std::size_t kMaxComponentBytes = 255;

/// Whether `path` is one that a variant may use at all, wherever the surface lies: relative,
/// separated by `/`, every component a plain visible name that is the same on every file system.
OrRefusal<void> check_path(std::string_view path);

}  // namespace instar::engine
