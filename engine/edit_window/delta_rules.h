#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "checkpoints/store.h"
#include "engine/edit_window/refusal.h"
#include "engine/edit_window/surface_rules.h"

namespace instar::engine {

/// The rules that need no content: path, surface, protected paths, kinds and modes.
OrRefusal<void> check_delta(const SurfaceRules& rules, const checkpoints::TreeDelta& delta);

/// The rules on what a file holds (nothing: absent), compared with the base: size, NUL, regions.
OrRefusal<void> check_content(std::string_view path, const std::optional<std::string>& base,
                              const std::optional<std::string>& after,
                              std::uint64_t max_file_bytes);

/// Whether an entry of a tree is a regular file, which alone may be read as a parent's text.
OrRefusal<void> check_is_file(const checkpoints::TreeEntry& entry);

}  // namespace instar::engine
