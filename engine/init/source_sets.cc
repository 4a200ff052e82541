#include "engine/init/source_sets.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"

namespace instar::engine {

namespace {

/// Above this a list of directories is no longer read by anybody: the top directory stands for
/// them.
constexpr std::size_t kMaxPatterns = 24;

bool is_test_directory(std::string_view name) {
  return name == "tests" || name == "test" || name == "testing" || name == "t";
}

void add_once(std::vector<std::string>& list, const std::string& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

/// One pattern for each top directory and extension.
std::vector<std::string> by_top_directory(const std::vector<ProjectFile>& sources) {
  std::vector<std::string> patterns;
  for (const ProjectFile& file : sources) {
    const auto slash = file.path.find('/');
    add_once(patterns, slash == std::string::npos
                           ? file.path
                           : file.path.substr(0, slash) + "/**/*" + file.extension());
  }
  return patterns;
}

}  // namespace

bool in_test_directory(const ProjectFile& file) {
  const std::string directory = file.directory();
  const auto parts = split(directory, '/');
  return std::any_of(parts.begin(), parts.end(), is_test_directory);
}

bool is_benchmark(const ProjectFile& file) { return file.name().starts_with("bench"); }

SourceSets split_sources(const ProjectFiles& project,
                         const std::function<bool(const ProjectFile&)>& is_source,
                         const std::function<bool(const ProjectFile&)>& is_test) {
  SourceSets sets;
  for (const ProjectFile& file : project.files) {
    if (!is_source(file)) continue;
    (is_test(file) ? sets.tests : sets.sources).push_back(file);
  }
  return sets;
}

std::vector<std::string> surface_of(const std::vector<ProjectFile>& sources,
                                    const std::vector<ProjectFile>& others) {
  std::set<std::pair<std::string, std::string>> mixed;
  for (const ProjectFile& file : others) mixed.emplace(file.directory(), file.extension());
  std::vector<std::string> patterns;
  for (const ProjectFile& file : sources) {
    const std::string directory = file.directory();
    // A pattern would also let new files in: at the root and beside tests, those could be collected
    // or imported by the harness.
    const bool alone = !directory.empty() && !mixed.contains({directory, file.extension()});
    add_once(patterns, alone ? directory + "/*" + file.extension() : file.path);
  }
  return patterns.size() > kMaxPatterns ? by_top_directory(sources) : patterns;
}

std::vector<std::string> sealed_of(const std::vector<ProjectFile>& tests) {
  std::vector<std::string> patterns;
  for (const ProjectFile& file : tests) {
    std::string prefix;
    bool in_directory = false;
    const std::string directory = file.directory();
    for (const std::string_view part : split(directory, '/')) {
      prefix += std::string(part) + "/";
      if (!is_test_directory(part)) continue;
      in_directory = true;
      break;
    }
    add_once(patterns, in_directory ? prefix + "**" : file.path);
  }
  return patterns;
}

std::string describe(const std::vector<ProjectFile>& files) {
  std::vector<std::string> directories;
  for (const ProjectFile& file : files) {
    add_once(directories, file.directory().empty() ? "the root" : file.directory());
  }
  constexpr std::size_t kShown = 4;
  const bool more = directories.size() > kShown;
  if (more) directories.resize(kShown);
  return std::to_string(files.size()) + (files.size() == 1 ? " file in " : " files in ") +
         join(directories, ", ") + (more ? " and more" : "");
}

}  // namespace instar::engine
