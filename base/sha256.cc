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
