#pragma once

#include <chrono>
#include <cstdint>

namespace instar::isolation {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

/// What one cell may use. Zero is never "unlimited": it is refused.
struct Limits {
  /// A minute covers the build and test of a small program; a target with more says so per stage.
  std::chrono::milliseconds wall{60'000};
  /// As wall: a single-threaded command uses no more CPU than time.
  std::chrono::milliseconds cpu{60'000};
  /// Compilers and interpreters stay below 1 GiB on small programs; twice that.
  std::uint64_t memory_bytes = 2 * kGiB;
  /// make -j with a shell and a compiler chain per job stays below 100.
  std::uint64_t processes = 256;
  /// Four times what a test runner with plugins opens.
  std::uint64_t open_files = 256;
  /// The largest file an honest build of a small program writes.
  std::uint64_t file_size_bytes = 256 * kMiB;
  /// Everything written into the workspace and TMPDIR together.
  std::uint64_t workspace_bytes = kGiB;
  std::uint64_t inodes = 100'000;
  /// Kept per stream, half as head and half as tail; the rest is counted and dropped.
  std::uint64_t output_bytes = kMiB;
  /// Declared output files: bytes together, and how many.
  std::uint64_t outputs_bytes = 64 * kMiB;
  std::uint64_t outputs_files = 1000;
};

}  // namespace instar::isolation
