#include "checkpoints/ledger_position.h"

#include <charconv>

namespace instar::checkpoints {

std::string format_position(const LedgerPosition& position, char separator) {
  return std::to_string(position.seq) + separator + position.hash.hex();
}

std::optional<LedgerPosition> parse_position(std::string_view text, char separator) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  LedgerPosition position;
  const auto number = text.substr(0, at);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), position.seq);
  const auto hash = Digest::parse(text.substr(at + 1));
  if (error != std::errc{} || end != number.data() + number.size() || !hash) return std::nullopt;
  position.hash = *hash;
  if (format_position(position, separator) != text) return std::nullopt;
  return position;
}

}  // namespace instar::checkpoints
