#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isolation/cell.h"

namespace instar::isolation {

/// Keeps the beginning and the end of a stream in bounded memory, and counts the rest.
class OutputCapture {
 public:
  /// `most_bytes`: kept in all, half for each end.
  explicit OutputCapture(std::uint64_t most_bytes) : most_(most_bytes) {}

  void feed(std::string_view bytes);
  /// What was kept; ends the capture.
  CapturedStream finish() &&;

 private:
  std::uint64_t most_;
  std::uint64_t total_ = 0;
  std::string head_;
  std::string ring_;      ///< the last bytes, once head_ is full
  std::size_t next_ = 0;  ///< where the next byte goes when the ring is full
};

}  // namespace instar::isolation
