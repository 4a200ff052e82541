#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/edit_window/refusal.h"

namespace instar::engine {

/// A file cut at its EVOLVE-BLOCK markers. With n blocks there are n + 1 fixed parts: what stands
/// before, between and after the blocks, marker lines included. Without markers both are empty.
struct Regions {
  std::vector<std::string_view> fixed;
  std::vector<std::string_view> blocks;
};

/// Cuts `text`, whose views the result holds. A marker is a comment line of its own that says
/// EVOLVE-BLOCK-START or EVOLVE-BLOCK-END and at most a name; any other mention of a marker
/// (misspelt, in a string, beside code), an unpaired or a nested one is refused.
OrRefusal<Regions> parse_regions(std::string_view path, std::string_view text);

/// Whether a change of one file (nothing: absent) respects the blocks of the base: everything
/// outside of them, the markers too, stays byte for byte; and no marker is introduced. It holds
/// bytes, not meaning: code in a block may open a comment that swallows what follows, or alter at
/// run time what stands outside. Cells and judges answer for that.
OrRefusal<void> check_regions(std::string_view path, const std::optional<std::string>& base,
                              const std::optional<std::string>& after);

}  // namespace instar::engine
