#include "checkpoints/segments.h"

#include <zstd.h>

#include "base/files.h"

namespace instar::checkpoints {

namespace fs = std::filesystem;

namespace {

/// zstd's own default: on source text a higher level saves little and costs much.
constexpr int kLevel = 3;

fs::path file_of(const fs::path& directory, const Digest& hash) {
  return directory / (hash.hex() + ".zst");
}

Result<std::string> compress(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), kLevel);
  if (ZSTD_isError(size) != 0) {
    return fail(ErrorCode::kInternal,
                std::string("cannot compress a segment: ") + ZSTD_getErrorName(size));
  }
  packed.resize(size);
  return packed;
}

/// The frame says how large its content is; it is believed only below the cap, and checked.
Result<std::string> decompress(std::string_view packed, const std::string& name) {
  const auto broken = [&](const std::string& why) {
    return fail(ErrorCode::kIntegrity, name + " cannot be unpacked: " + why);
  };
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) {
    return broken("it is no segment");
  }
  if (size > kLargestSegment) return broken("its content would be too large");
  std::string text(size, '\0');
  const std::size_t got = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0) return broken(ZSTD_getErrorName(got));
  if (got != size) return broken("its content is shorter than it says");
  return text;
}

}  // namespace

Result<void> SegmentWriter::add(std::string name, std::string_view bytes) {
  if (bytes.size() > kLargestSegment - text_.size()) {
    return fail(ErrorCode::kInvalidInput, "'" + name + "' does not fit into the segment");
  }
  entries_.push_back({.name = std::move(name), .offset = text_.size(), .size = bytes.size()});
  text_ += bytes;
  return {};
}

Result<std::optional<Segment>> SegmentWriter::flush() {
  if (entries_.empty()) return std::optional<Segment>{};
  const std::string packed = INSTAR_TRY(compress(text_));
  Segment segment{.hash = sha256(packed), .entries = entries_};
  INSTAR_CHECK(write_file_atomic(file_of(directory_, segment.hash), packed));
  text_.clear();
  entries_.clear();
  return std::optional(std::move(segment));
}

Result<void> SegmentReader::load(const Digest& hash) {
  if (loaded_ == hash) return {};
  const fs::path file = file_of(directory_, hash);
  const auto packed = read_file(file, ZSTD_compressBound(kLargestSegment));
  if (!packed && packed.error().code == ErrorCode::kNotFound) {
    return fail(
        ErrorCode::kNotFound, "the segment " + hash.hex() + " is not there any more",
        "without it only the patches of accepted variants can be shown, from their commits");
  }
  if (!packed) return fail(packed.error());
  if (sha256(*packed) != hash) {
    return fail(ErrorCode::kIntegrity, file.string() + " is not what its name says",
                "something else than instar changed it");
  }
  text_ = INSTAR_TRY(decompress(*packed, file.string()));
  loaded_ = hash;
  return {};
}

Result<std::string> SegmentReader::read(const Digest& hash, std::uint64_t offset,
                                        std::uint64_t size) {
  INSTAR_CHECK(load(hash));
  if (offset > text_.size() || size > text_.size() - offset) {
    return fail(ErrorCode::kIntegrity, "the segment " + hash.hex() + " has no bytes " +
                                           std::to_string(offset) + "+" + std::to_string(size));
  }
  return text_.substr(offset, size);
}

}  // namespace instar::checkpoints
