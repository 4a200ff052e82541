#include "engine/run/variant.h"

#include "base/sha256.h"

namespace instar::engine {

std::string variant_id(const checkpoints::TreeId& base, const checkpoints::TreeId& tree,
                       const std::vector<std::string>& parents, std::string_view generator,
                       std::uint64_t n) {
  constexpr std::size_t kIdDigits = 12;  // 48 bits: no collision expected below 10^7 variants
  PartsHash hash;
  hash.add(base.hex()).add(tree.hex()).add(std::to_string(parents.size()));
  for (const auto& parent : parents) hash.add(parent);
  hash.add(generator).add(std::to_string(n));
  return hash.finish().hex().substr(0, kIdDigits);
}

}  // namespace instar::engine
