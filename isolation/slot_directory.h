#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "isolation/tree_copy.h"

namespace instar::isolation {

/// A directory of ours below another one, removed with everything in it at the end of its life. Its
/// owner is the engine; while it is open, the slot's user may pass through it and no more.
class OwnedDirectory {
 public:
  /// `owner`: the slot's user, whose group may pass; nothing: nobody else. It is open.
  static Result<OwnedDirectory> create(int parent, const std::filesystem::path& parent_path,
                                       const std::string& name, const std::optional<Owner>& owner);

  OwnedDirectory(OwnedDirectory&&) noexcept = default;
  OwnedDirectory& operator=(OwnedDirectory&&) = delete;
  OwnedDirectory(const OwnedDirectory&) = delete;
  OwnedDirectory& operator=(const OwnedDirectory&) = delete;
  ~OwnedDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] int fd() const { return directory_.get(); }

  /// Shuts it against the slot's user, or opens it again. Without an owner, both undo what a
  /// command of our own user did to its mode and to that of the directory above.
  [[nodiscard]] Result<void> set_open(bool open) const;

  /// Makes a directory in it that belongs to the slot's user, mode 0700.
  Result<Fd> make_private(const char* name, const std::optional<Owner>& owner) const;

 private:
  OwnedDirectory(std::filesystem::path path, Fd parent, Fd directory, bool has_owner)
      : path_(std::move(path)),
        parent_(std::move(parent)),
        directory_(std::move(directory)),
        has_owner_(has_owner) {}
  std::filesystem::path path_;
  Fd parent_;
  Fd directory_;
  bool has_owner_;
};

}  // namespace instar::isolation
