#include "engine/init/project.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "base/files.h"
#include "base/text.h"

namespace instar::engine {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxFiles = 50'000;
constexpr int kMaxDepth = 32;
/// Build files and tests are read to see what they declare; larger ones are generated.
constexpr std::size_t kMaxTextBytes = 1 << 20;

/// Directories that hold what tools made, not what people wrote.
bool is_generated(const std::string& name) {
  static constexpr std::array<std::string_view, 9> kNames{
      "build", "dist", "node_modules", "__pycache__", "venv", "env", "target", "out", "CMakeFiles"};
  return name.starts_with('.') || name.ends_with(".egg-info") ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// Whether the name can stand in a pattern and in a file that a person reviews.
bool is_plain(const std::string& name) {
  return name.find_first_of("*?[]{}\\\"") == std::string::npos && !name.starts_with('!') &&
         escape_for_terminal(name) == name;
}

}  // namespace

std::string ProjectFile::directory() const {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string ProjectFile::name() const { return path.substr(path.rfind('/') + 1); }

std::string ProjectFile::extension() const { return fs::path(name()).extension().string(); }

bool ProjectFiles::has(const std::string& path) const {
  return std::any_of(files.begin(), files.end(),
                     [&](const ProjectFile& file) { return file.path == path; });
}

std::string ProjectFiles::text_of(const std::string& path) const {
  if (!has(path)) return {};
  auto text = read_file(root / path, kMaxTextBytes);
  return text ? std::move(*text) : std::string();
}

Result<ProjectFiles> list_project(const fs::path& root) {
  ProjectFiles project{.root = root, .files = {}, .skipped = {}};
  std::error_code error;
  fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied, error);
  if (error) {
    return fail(error == std::errc::no_such_file_or_directory ? ErrorCode::kNotFound
                                                              : ErrorCode::kInvalidInput,
                "cannot list " + root.string() + ": " + error.message(),
                "name the directory of the program to evolve");
  }
  for (; it != fs::recursive_directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename().string();
    const fs::file_type type = it->symlink_status(error).type();
    if (type == fs::file_type::directory) {
      if (is_generated(name) || !is_plain(name) || it.depth() >= kMaxDepth) {
        it.disable_recursion_pending();
        if (!is_plain(name)) project.skipped.push_back(escape_for_terminal(name) + "/");
      }
      continue;
    }
    if (type != fs::file_type::regular) continue;
    if (!is_plain(name)) {
      project.skipped.push_back(escape_for_terminal(name));
      continue;
    }
    if (project.files.size() >= kMaxFiles) {
      return fail(ErrorCode::kInvalidInput,
                  root.string() + " holds more than " + std::to_string(kMaxFiles) + " files",
                  "name the directory of one program, or write instar.yaml by hand");
    }
    project.files.push_back({it->path().lexically_relative(root).generic_string()});
  }
  if (error) {
    return fail(ErrorCode::kIo, "cannot list " + root.string() + ": " + error.message());
  }
  std::sort(project.files.begin(), project.files.end(),
            [](const ProjectFile& a, const ProjectFile& b) { return a.path < b.path; });
  std::sort(project.skipped.begin(), project.skipped.end());
  return project;
}

}  // namespace instar::engine
