#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace instar::engine {

/// One file of a project: its path from the root, `/`-separated.
struct ProjectFile {
  std::string path;
  [[nodiscard]] std::string directory() const;  ///< empty for the root
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string extension() const;  ///< ".py", or empty
};

/// The files of a directory tree as detection sees them. Nothing is run, no link is followed.
struct ProjectFiles {
  std::filesystem::path root;
  std::vector<ProjectFile> files;    ///< sorted by path
  std::vector<std::string> skipped;  ///< names that a pattern cannot hold, escaped for display

  [[nodiscard]] bool has(const std::string& path) const;
  /// The text of a file, or empty when it is not there, too large or unreadable.
  [[nodiscard]] std::string text_of(const std::string& path) const;
};

/// Lists what stands in `root`, without version control, caches, virtual environments, build trees
/// and hidden directories. More than 50,000 files are an error: that is no single program.
Result<ProjectFiles> list_project(const std::filesystem::path& root);

}  // namespace instar::engine
