#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/edit_window/regions.h"

using namespace instar::engine;

/// The input is a base, a zero byte and a variant's text. The parts of a text that parses are that
/// text; and a variant that passes has the base's first and last fixed part where they stood.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto zero = input.find('\0');
  const std::string base(input.substr(0, zero));
  const std::string after(zero == std::string_view::npos ? "" : input.substr(zero + 1));
  const auto regions = parse_regions("fuzz", base);
  if (regions && !regions->blocks.empty()) {
    std::string joined(regions->fixed.front());
    for (std::size_t i = 0; i < regions->blocks.size(); ++i) {
      joined += regions->blocks[i];
      joined += regions->fixed[i + 1];
    }
    if (joined != base) std::abort();
  }
  if (!check_regions("fuzz", base, after)) return 0;
  if (!regions) std::abort();
  if (regions->blocks.empty()) return 0;
  if (!after.starts_with(regions->fixed.front()) || !after.ends_with(regions->fixed.back())) {
    std::abort();
  }
  return 0;
}
