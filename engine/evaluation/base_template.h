#pragma once

#include <filesystem>
#include <stop_token>

#include "base/files.h"
#include "base/result.h"
#include "checkpoints/store.h"
#include "engine/config/target.h"
#include "engine/evaluation/sealed_files.h"
#include "isolation/cell.h"

namespace instar::engine {

/// What lies below every workspace: the base commit's files, the pytest plugin where a stage needs
/// it, and what the target's `prepare` commands made of them. Removed at the end of its life.
class BaseTemplate {
 public:
  /// Writes the files below the cells' scratch directory and runs `prepare` in cells of slot 0. An
  /// Error when a command fails (with an excerpt of its output) or touches a sealed file.
  static Result<BaseTemplate> make(const Target& target, const isolation::Limits& limits,
                                   checkpoints::CheckpointStore& store,
                                   isolation::CellProvider& cells, const checkpoints::TreeId& base,
                                   std::stop_token stop);

  [[nodiscard]] const std::filesystem::path& path() const { return files_.path(); }
  [[nodiscard]] const SealedFiles& sealed() const { return sealed_; }
  /// What a person should know, e.g. symlinks that were left out.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  explicit BaseTemplate(TempDir files) : files_(std::move(files)) {}
  Result<void> prepare(const Target& target, const isolation::Limits& limits,
                       isolation::CellProvider& cells, std::stop_token stop);

  TempDir files_;
  SealedFiles sealed_;
  std::vector<std::string> notes_;
};

}  // namespace instar::engine
