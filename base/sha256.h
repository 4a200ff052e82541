#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace instar {

/// A SHA-256 digest.
struct Digest {
  std::array<std::uint8_t, 32> bytes{};
  [[nodiscard]] std::string hex() const;  ///< 64 lower-case hex digits
  /// From what hex() gives; nothing for any other text.
  static std::optional<Digest> parse(std::string_view hex);
  auto operator<=>(const Digest&) const = default;
};

Digest sha256(std::string_view data);

/// SHA-256 over parts whose borders count: each is preceded by its length, so ("ab","c") differs
/// from ("a","bc").
class PartsHash {
 public:
  PartsHash& add(std::string_view part);
  [[nodiscard]] Digest finish() const { return sha256(framed_); }

 private:
  std::string framed_;
};

/// Lower-case hex of any bytes.
std::string to_hex(std::string_view bytes);

/// Fills `bytes` from exactly two lower-case hex digits each; false for any other text, with
/// `bytes` in an unspecified state.
bool from_hex(std::string_view hex, std::span<std::uint8_t> bytes);

}  // namespace instar
