#pragma once

#include <cstdint>
#include <string_view>

namespace instar::engine {

/// Lines removed plus lines added by a shortest line diff of the two texts. Exact for any two texts
/// whose differing middles are below 2^34 line pairs (131,000 lines each); beyond that every line
/// of the middles counts, an upper bound: a change that large is never made to look small.
std::uint64_t changed_lines(std::string_view before, std::string_view after);

}  // namespace instar::engine
