#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "checkpoints/git_handle.h"
#include "checkpoints/object_memory.h"

namespace instar::checkpoints {

/// The target's object store on disk. Thread-safe, as libgit2's is.
class ObjectDatabase {
 public:
  static Result<ObjectDatabase> open(git_repository& repository, bool partial);

  /// The name that git gives to these bytes.
  static Result<RawId> name_of(ObjectKind kind, std::string_view bytes);

  /// The object's bytes. Missing is kNotFound; of another kind, or damaged, kIntegrity.
  [[nodiscard]] Result<std::string> read(const RawId& id, ObjectKind kind) const;
  [[nodiscard]] bool contains(const RawId& id) const;
  /// Stores the object, synced; one that is there already is not written again.
  [[nodiscard]] Result<RawId> write(ObjectKind kind, std::string_view bytes) const;

 private:
  ObjectDatabase(GitPtr<git_odb> odb, std::string directory, bool partial)
      : odb_(std::move(odb)), directory_(std::move(directory)), partial_(partial) {}
  /// kIntegrity: something else than a file has the object's name; a FIFO would hold us for ever.
  [[nodiscard]] Result<void> check_loose(const RawId& id) const;
  GitPtr<git_odb> odb_;
  std::string directory_;  ///< of loose objects
  bool partial_;
};

}  // namespace instar::checkpoints
