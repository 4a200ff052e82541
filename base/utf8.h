#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace instar {

/// The character that a text begins with.
struct Utf8Character {
  std::uint32_t code_point = 0;
  std::size_t length = 0;  ///< in bytes; 0 where the text is empty or no valid UTF-8
};

/// Strict: overlong forms, surrogates and what lies past U+10FFFF are invalid (RFC 3629).
Utf8Character decode_utf8(std::string_view text);

/// The longest beginning of `text` of at most `most` bytes that cuts no character in two.
std::string_view clipped(std::string_view text, std::size_t most);

}  // namespace instar
