#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sha256.h"

namespace instar::checkpoints {

/// The most text that one segment holds; a reader's memory is bounded by it.
inline constexpr std::size_t kLargestSegment = 64UL << 20;

/// Where one text stands in a segment's uncompressed bytes.
struct SegmentEntry {
  std::string name;  ///< what the caller called it, such as a variant's id
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// A segment that is on disk, for the ledger to name.
struct Segment {
  Digest hash;  ///< of the compressed file, which is also its name
  std::vector<SegmentEntry> entries;
};

/// Collects texts (patches, exchanges with a generator) and writes many of them as one compressed
/// file: <directory>/<sha256>.zst, readable with plain zstd. Not thread-safe.
class SegmentWriter {
 public:
  explicit SegmentWriter(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Adds a text to the pending segment; one that would not fit is kInvalidInput: flush first.
  Result<void> add(std::string name, std::string_view bytes);
  [[nodiscard]] std::size_t pending_bytes() const { return text_.size(); }
  /// Writes what is pending, synced and whole or not at all; after a failure it is still pending.
  /// Nothing when nothing is pending.
  Result<std::optional<Segment>> flush();

 private:
  std::filesystem::path directory_;
  std::string text_;
  std::vector<SegmentEntry> entries_;
};

/// Reads texts back. Keeps the last segment, so that reading a run's patches in order is cheap. Not
/// thread-safe.
class SegmentReader {
 public:
  explicit SegmentReader(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// A file that is gone is kNotFound; one that is not what its name says, or an
  /// entry outside it, kIntegrity.
  Result<std::string> read(const Digest& hash, std::uint64_t offset, std::uint64_t size);

 private:
  Result<void> load(const Digest& hash);
  std::filesystem::path directory_;
  std::optional<Digest> loaded_;
  std::string text_;
};

}  // namespace instar::checkpoints
