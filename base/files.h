#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace instar {

/// The whole file, at most `max_bytes`. A missing file is kNotFound.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes);

/// Replaces `path` by `data` so that a reader, or a crash at any moment, sees the old file or the
/// new one: written beside it, synced, renamed, the directory synced.
Result<void> write_file_atomic(const std::filesystem::path& path, std::string_view data,
                               int mode = 0644);

/// fsync of the directory, so that names created or renamed in it survive a power cut.
Result<void> sync_directory(const std::filesystem::path& directory);

/// A private directory (mode 0700), removed with everything in it at the end of its life.
class TempDir {
 public:
  /// Created below `parent` (default: $TMPDIR, else /tmp) with a name that begins with `prefix`.
  static Result<TempDir> create(std::string_view prefix, std::filesystem::path parent = {});

  TempDir(TempDir&&) noexcept = default;
  TempDir& operator=(TempDir&& other) noexcept;
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit TempDir(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace instar
