#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/init/project.h"

namespace instar::engine {

/// A line of the file to write with the reason that stands beside it.
struct Reasoned {
  std::string text;
  std::string why;
};

/// One stage to write.
struct DraftStage {
  std::string name;
  std::string run;
  std::string report;  ///< "{pytest: stream}", or empty for the exit code
  std::string why;
};

/// What was found in a project and what follows from it, before it is written as instar.yaml.
struct Draft {
  std::string name;
  std::vector<std::string> languages;  ///< that have sources: "Python", "C"
  std::vector<std::string> allow;
  std::vector<Reasoned> deny;
  std::vector<std::string> sealed;
  std::vector<std::pair<std::string, Reasoned>> env;
  std::vector<DraftStage> stages;
  bool has_tests = false;          ///< some stage runs tests; without, nothing tells good from bad
  bool reports_tests = false;      ///< some stage tells the outcome of each test
  std::vector<std::string> found;  ///< one sentence each, for a person
  std::vector<std::string> missing;  ///< what was looked for and is not there
};

/// Whether this host can run pytest; without it unittest suites fall back to the exit code.
enum class Pytest { kInstalled, kMissing };
Pytest pytest_on_host();

/// Looks at the files. kInvalidInput when there is no source in a language that `mutate` can edit.
Result<Draft> draft_target(const ProjectFiles& project, Pytest pytest);

/// instar.yaml with a comment on every choice. Loads through `parse_target`.
std::string render_target(const Draft& draft);

// Parts of draft_target, one for each language.
void draft_python(const ProjectFiles& project, Pytest pytest, Draft& draft);
void draft_c(const ProjectFiles& project, Draft& draft);

}  // namespace instar::engine
