#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "engine/config/policy.h"
#include "engine/config/target.h"

/// Both loaders on any bytes: a value or one error that says where, and a policy that a target's
/// part could only make stricter.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace instar::engine;
  const std::string text(data, data + size);
  const auto policy = parse_policy(text, "f");
  if (!policy && policy.error().message.rfind("f:", 0) != 0) std::abort();

  static const Policy standing = parse_policy("version: 1\nlevel: namespace\n", "p").value();
  Policy tightened = standing;
  const auto target = parse_target(text, "f", tightened);
  if (!target && target.error().message.rfind("f:", 0) != 0) std::abort();
  if (tightened.floor < standing.floor || tightened.cell.wall > standing.cell.wall ||
      tightened.cell.memory_bytes > standing.cell.memory_bytes ||
      tightened.run.variants > standing.run.variants) {
    std::abort();
  }
  return 0;
}
