#include "checkpoints/ledger_position.h"

#include <algorithm>
#include <charconv>

namespace instar::checkpoints {

std::string format_position(const LedgerPosition& position, char separator) {
  return std::to_string(position.seq) + separator + position.hash.hex();
}

std::optional<Digest> parse_digest(std::string_view hex) {
  Digest digest;
  if (hex.size() != 2 * digest.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    const char* const at = hex.data() + 2 * i;
    const auto [end, error] = std::from_chars(at, at + 2, digest.bytes[i], 16);
    if (error != std::errc{} || end != at + 2) return std::nullopt;
  }
  if (digest.hex() != hex) return std::nullopt;  // upper case
  return digest;
}

std::optional<LedgerPosition> parse_position(std::string_view text, char separator) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  LedgerPosition position;
  const auto number = text.substr(0, at);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), position.seq);
  const auto hash = parse_digest(text.substr(at + 1));
  if (error != std::errc{} || end != number.data() + number.size() || !hash) return std::nullopt;
  position.hash = *hash;
  if (format_position(position, separator) != text) return std::nullopt;
  return position;
}

}  // namespace instar::checkpoints
