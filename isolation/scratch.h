#pragma once

#include <filesystem>

#include "base/fd.h"
#include "base/result.h"

namespace instar::isolation {

/// The directory below which everything of an engine's cells lives, and what their workspaces are
/// copied from. Locked as long as the engine or one of its launchers lives; what a killed engine
/// left is removed when the next one starts below the same parent.
class Scratch {
 public:
  /// Makes it below `parent` (empty: $TMPDIR, else /tmp), after removing leftovers there. As root,
  /// `parent` must let other users pass; it may not lie where every cell can read.
  static Result<Scratch> create(std::filesystem::path parent);

  Scratch(Scratch&&) noexcept = default;
  Scratch& operator=(Scratch&&) = delete;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] int fd() const { return directory_.get(); }
  [[nodiscard]] int lock() const { return lock_.get(); }

 private:
  Scratch(std::filesystem::path path, Fd parent, Fd directory, Fd lock)
      : path_(std::move(path)),
        parent_(std::move(parent)),
        directory_(std::move(directory)),
        lock_(std::move(lock)) {}
  std::filesystem::path path_;
  Fd parent_;
  Fd directory_;
  Fd lock_;
};

}  // namespace instar::isolation
