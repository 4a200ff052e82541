#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace instar::checkpoints {

/// The text as valid UTF-8: each byte that is not part of a valid sequence becomes the four
/// characters `\xNN`. Valid text comes back as it is. What the bytes were can therefore not be told
/// from the result alone; where it matters, they are kept in a segment.
std::string as_utf8(std::string_view text);

/// One line of JSON: no spaces, keys in the order of the object, strings by `as_utf8`. Values that
/// JSON cannot hold (NaN, infinity, binary) are kInternal: they would come back as something else.
/// More than `max_bytes` of text is kInvalidInput.
Result<std::string> canonical_json(const nlohmann::json& value, std::size_t max_bytes);

}  // namespace instar::checkpoints
