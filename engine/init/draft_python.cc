#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "engine/init/draft.h"
#include "engine/init/source_sets.h"

namespace instar::engine {

namespace {

/// Files that Python, pytest or a packaging tool runs without being asked to: a variant that could
/// write them would judge itself.
bool runs_unasked(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames{
      "conftest.py", "sitecustomize.py", "usercustomize.py", "setup.py",
      "noxfile.py",  "fabfile.py",       "tasks.py",         "conf.py"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_test(const ProjectFile& file) {
  const std::string name = file.name();
  return in_test_directory(file) || name.starts_with("test_") || name.ends_with("_test.py") ||
         name == "conftest.py";
}

bool mentions(const ProjectFiles& project, const std::vector<ProjectFile>& files,
              std::string_view word) {
  return std::any_of(files.begin(), files.end(), [&](const ProjectFile& file) {
    return project.text_of(file.path).find(word) != std::string::npos;
  });
}

/// Whether something tells pytest where the sources are.
bool has_import_path(const ProjectFiles& project, const std::vector<ProjectFile>& tests) {
  for (const char* config : {"pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"}) {
    if (project.text_of(config).find("pythonpath") != std::string::npos) return true;
  }
  return mentions(project, tests, "sys.path");
}

/// The one directory at the top that holds all tests, to collect from it alone.
std::string test_directory(const std::vector<ProjectFile>& tests) {
  std::string top;
  for (const ProjectFile& file : tests) {
    if (file.name() == "conftest.py") continue;
    const auto slash = file.path.find('/');
    if (slash == std::string::npos) return {};
    const std::string directory = file.path.substr(0, slash);
    if (!top.empty() && top != directory) return {};
    top = directory;
  }
  return top == "tests" || top == "test" ? top : std::string();
}

DraftStage pytest_stage(const std::string& name, const std::string& directory) {
  return {.name = name,
          .run = "python3 -m pytest -q" + (directory.empty() ? "" : " " + directory),
          .report = "{pytest: stream}",
          .why =
              "one record for each test as it ends, so a variant that hangs one test still tells "
              "about the others"};
}

void draft_tests(const ProjectFiles& project, Pytest pytest, const SourceSets& sets, Draft& draft) {
  const std::string name = draft.stages.empty() ? "test" : "py";
  draft.has_tests = true;
  const bool unittest_only = mentions(project, sets.tests, "unittest") &&
                             !mentions(project, sets.tests, "pytest") && !project.has("pytest.ini");
  const std::string directory = test_directory(sets.tests);
  if (unittest_only && pytest == Pytest::kMissing) {
    draft.found.push_back("unittest: " + describe(sets.tests));
    draft.missing.emplace_back(
        "pytest is not installed: with python3-pytest each test would be counted, not only the "
        "exit code");
    draft.stages.push_back({.name = name,
                            .run = "python3 -m unittest discover" +
                                   (directory.empty() ? "" : " -s " + directory + " -t ."),
                            .report = {},
                            .why = "the exit code alone counts"});
    return;
  }
  draft.found.push_back(std::string(unittest_only ? "unittest (run by pytest): " : "pytest: ") +
                        describe(sets.tests));
  if (pytest == Pytest::kMissing) {
    draft.missing.emplace_back("pytest is not installed here: install python3-pytest before a run");
  }
  draft.stages.push_back(pytest_stage(name, directory));
  draft.reports_tests = true;
}

}  // namespace

Pytest pytest_on_host() {
  // Where the system's python3 has its packages; nothing is run to find out.
  std::error_code error;
  return std::filesystem::exists("/usr/lib/python3/dist-packages/pytest", error)
             ? Pytest::kInstalled
             : Pytest::kMissing;
}

void draft_python(const ProjectFiles& project, Pytest pytest, Draft& draft) {
  const auto all = split_sources(
      project, [](const ProjectFile& file) { return file.extension() == ".py"; }, is_test);
  std::vector<ProjectFile> sources;
  std::vector<ProjectFile> judging = all.tests;
  std::vector<ProjectFile> others;
  for (const ProjectFile& file : all.sources) {
    (is_benchmark(file) ? judging : runs_unasked(file.name()) ? others : sources).push_back(file);
  }
  others.insert(others.end(), judging.begin(), judging.end());
  if (sources.empty()) return;

  draft.languages.emplace_back("Python");
  draft.found.push_back("Python: " + describe(sources));
  for (const std::string& pattern : surface_of(sources, others)) draft.allow.push_back(pattern);
  for (const char* name : {"conftest.py", "sitecustomize.py", "usercustomize.py"}) {
    draft.deny.push_back(
        {std::string("**/") + name, "Python or pytest runs it without being asked"});
  }
  draft.deny.push_back({"**/test_*.py", "pytest would collect it"});
  draft.deny.push_back({"**/*_test.py", "pytest would collect it"});
  for (const std::string& pattern : sealed_of(judging)) draft.sealed.push_back(pattern);
  for (const char* config : {"pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", "setup.py"}) {
    if (project.has(config)) draft.sealed.emplace_back(config);
  }

  if (all.tests.empty()) {
    draft.missing.emplace_back("no Python tests: looked for test_*.py, *_test.py and tests/");
    return;
  }
  draft_tests(project, pytest, {sources, all.tests}, draft);
  const bool below_src = std::all_of(sources.begin(), sources.end(), [](const ProjectFile& file) {
    return file.path.starts_with("src/");
  });
  if (below_src && !has_import_path(project, all.tests)) {
    draft.env.emplace_back("PYTHONPATH",
                           Reasoned{"src", "the sources are below src/ and nothing says so"});
  }
}

}  // namespace instar::engine
