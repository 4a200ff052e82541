#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace instar {

/// One stream of random numbers, keyed by (seed, purpose, n), so that what one part of the program
/// draws can never shift what another one gets. xoshiro256** (Blackman and Vigna 2018), its state
/// filled from SHA-256 of the key.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t n);

  std::uint64_t next();
  /// Uniform in [0, bound), without modulo bias; bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in [0, 1).
  double unit();

 private:
  std::array<std::uint64_t, 4> state_{};
};

/// Bytes from the system's generator, as hex: for names that must not collide between runs.
std::string random_hex(unsigned bytes);

}  // namespace instar
