#include "base/sha256.h"

#include <openssl/sha.h>

namespace instar {

std::string to_hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

namespace {

/// The value of a lower-case hex digit, or -1.
int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

bool from_hex(std::string_view hex, std::span<std::uint8_t> bytes) {
  if (hex.size() != 2 * bytes.size()) return false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = digit(hex[2 * i]);
    const int low = digit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return true;
}

std::optional<Digest> Digest::parse(std::string_view hex) {
  Digest digest;
  if (!from_hex(hex, digest.bytes)) return std::nullopt;
  return digest;
}

std::string Digest::hex() const {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Digest sha256(std::string_view data) {
  Digest digest;
  ::SHA256(reinterpret_cast<const unsigned char*>(data.data()), data.size(), digest.bytes.data());
  return digest;
}

PartsHash& PartsHash::add(std::string_view part) {
  framed_ += std::to_string(part.size());
  framed_ += ':';
  framed_ += part;
  return *this;
}

}  // namespace instar
