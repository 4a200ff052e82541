#include "base/random.h"

#include <sys/random.h>

#include <bit>
#include <cassert>
#include <cstring>
#include <string>

#include "base/sha256.h"

namespace instar {

RandomStream::RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t n) {
  const Digest key =
      PartsHash().add(std::to_string(seed)).add(purpose).add(std::to_string(n)).finish();
  std::memcpy(state_.data(), key.bytes.data(), sizeof state_);
}

std::uint64_t RandomStream::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  assert(bound > 0);
  const std::uint64_t reject_below = (0 - bound) % bound;  // 2^64 mod bound
  for (;;) {
    const std::uint64_t draw = next();
    if (draw >= reject_below) return draw % bound;
  }
}

double RandomStream::unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

std::string random_hex(unsigned bytes) {
  std::string raw(bytes, '\0');
  std::size_t filled = 0;
  while (filled < raw.size()) {
    const ssize_t got = ::getrandom(raw.data() + filled, raw.size() - filled, 0);
    if (got > 0) filled += static_cast<std::size_t>(got);
  }
  return to_hex(raw);
}

}  // namespace instar
