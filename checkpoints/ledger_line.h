#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/sha256.h"

namespace instar::checkpoints {

/// The longest record, in bytes: a reader's memory is bounded by it.
inline constexpr std::size_t kLongestLine = 16UL << 20;

/// The head of a record, which every line has in this order and form:
/// {"v":1,"seq":N,"ts":"…","run":"…","type":"…","prev":"…"
struct LineHead {
  std::uint64_t seq = 0;
  std::string_view ts;
  std::string_view run;
  std::string_view type;
  std::string_view prev_hex;
};

/// A line without its newline. `fields` is what canonical_json makes of an object.
std::string format_line(const LineHead& head, std::string_view fields);

/// Reads the head alone, strictly; the views point into `line`. The error is the reason only.
Result<LineHead> parse_line(std::string_view line);

/// Whether a run id or a record type has the plain characters ([a-z0-9_-]) that need no escaping.
bool is_plain_word(std::string_view word);

}  // namespace instar::checkpoints
