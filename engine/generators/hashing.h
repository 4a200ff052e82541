#pragma once

#include <cstdint>
#include <string_view>

namespace instar::engine {

/// A 64-bit hash for sets and draws within a process, the same on every machine: FNV-1a over the
/// parts, a length before each, finished by the mixer of SplitMix64 (Steele et al. 2014). Not for
/// anything that outsiders could gain by colliding.
class QuickHash {
 public:
  QuickHash& add(std::string_view part) {
    add(part.size());
    for (const char c : part) step(static_cast<std::uint8_t>(c));
    return *this;
  }
  QuickHash& add(std::uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      step(static_cast<std::uint8_t>(number >> shift));
    }
    return *this;
  }
  [[nodiscard]] std::uint64_t finish() const {
    std::uint64_t mixed = state_ + 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }

 private:
  void step(std::uint8_t byte) { state_ = (state_ ^ byte) * 0x100000001b3; }
  std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace instar::engine
