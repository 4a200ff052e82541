#include "engine/init/draft.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace instar::engine {

namespace fs = std::filesystem;

namespace {

struct OtherLanguage {
  std::string_view extension;
  std::string_view name;
};

/// Languages that are recognised, so that their absence from the surface is no surprise.
constexpr std::array kOthers{OtherLanguage{".cc", "C++"},        OtherLanguage{".cpp", "C++"},
                             OtherLanguage{".rs", "Rust"},       OtherLanguage{".go", "Go"},
                             OtherLanguage{".js", "JavaScript"}, OtherLanguage{".ts", "TypeScript"},
                             OtherLanguage{".java", "Java"},     OtherLanguage{".rb", "Ruby"},
                             OtherLanguage{".sh", "shell"}};

std::vector<std::string> other_languages(const ProjectFiles& project) {
  std::vector<std::string> names;
  for (const ProjectFile& file : project.files) {
    const auto other = std::find_if(kOthers.begin(), kOthers.end(), [&](const OtherLanguage& o) {
      return o.extension == file.extension();
    });
    if (other == kOthers.end()) continue;
    const std::string name(other->name);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string name_of(const fs::path& root) {
  std::error_code error;
  const fs::path absolute = fs::weakly_canonical(root, error);
  const std::string name = absolute.filename().string();
  const bool plain = !name.empty() && name.size() <= 64 && escape_for_terminal(name) == name &&
                     name.find_first_of("\"\\") == std::string::npos;
  return error || !plain ? "target" : name;
}

void remove_repeated(std::vector<std::string>& list) {
  std::vector<std::string> once;
  for (std::string& value : list) {
    if (std::find(once.begin(), once.end(), value) == once.end()) once.push_back(std::move(value));
  }
  list = std::move(once);
}

}  // namespace

Result<Draft> draft_target(const ProjectFiles& project, Pytest pytest) {
  Draft draft;
  draft.name = name_of(project.root);
  draft_c(project, draft);
  draft_python(project, pytest, draft);
  const auto others = other_languages(project);
  if (draft.languages.empty()) {
    return fail(ErrorCode::kInvalidInput,
                "found no Python or C source in " + project.root.string() +
                    (others.empty() ? "" : ", only " + join(others, ", ")),
                "`instar init DIR` names another directory; the built-in generator edits Python "
                "and C");
  }
  if (draft.stages.empty()) {
    draft.stages.push_back({.name = "build",
                            .run = "python3 -m compileall -q .",
                            .report = {},
                            .why = "only says whether the sources are valid Python: replace it by "
                                   "your tests"});
  }
  if (!others.empty()) {
    draft.found.push_back("not evolved, since the built-in generator edits Python and C only: " +
                          join(others, ", "));
  }
  for (const std::string& name : project.skipped) {
    draft.missing.push_back("left out, since no pattern can hold its name: " + name);
  }
  remove_repeated(draft.allow);
  remove_repeated(draft.sealed);
  return draft;
}

}  // namespace instar::engine
