#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoints/object_id.h"
#include "engine/generators/generator.h"

namespace instar::engine {

/// The id under which the base stands among parents.
inline constexpr std::string_view kBaseId = "base";

/// One admitted candidate: immutable. A change makes a new variant.
struct Variant {
  std::uint64_t n = 0;  ///< counts admitted variants, from 1
  std::string id;       ///< 12 hex digits
  checkpoints::TreeId tree;
  Proposal proposal;
  std::uint64_t patch_lines = 0;  ///< against the base
  std::uint64_t patch_files = 0;
};

/// First 12 hex digits of SHA-256 over (base tree, tree, parents' variant ids, generator, n).
std::string variant_id(const checkpoints::TreeId& base, const checkpoints::TreeId& tree,
                       const std::vector<std::string>& parents, std::string_view generator,
                       std::uint64_t n);

}  // namespace instar::engine
