#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "engine/init/draft.h"
#include "engine/init/source_sets.h"

namespace instar::engine {

namespace {

constexpr std::array kTestScripts{"test.sh",       "run_tests.sh",       "run-tests.sh",
                                  "tests.sh",      "check.sh",           "tests/run.sh",
                                  "tests/test.sh", "tests/run_tests.sh", "test/run.sh"};

bool is_test(const ProjectFile& file) {
  const std::string name = file.name();
  return in_test_directory(file) || name.starts_with("test_") || name.ends_with("_test.c") ||
         name == "test.c" || name == "tests.c" || is_benchmark(file);
}

std::string makefile_of(const ProjectFiles& project) {
  for (const char* name : {"GNUmakefile", "makefile", "Makefile"}) {
    if (project.has(name)) return name;
  }
  return {};
}

/// Whether the Makefile has a rule for `target`: "test:" or "all test check:", not "test := x".
bool has_target(std::string_view makefile, std::string_view target) {
  for (const std::string_view line : split(makefile, '\n')) {
    const auto colon = line.find(':');
    if (line.starts_with('\t') || line.starts_with('#') || colon == std::string_view::npos)
      continue;
    if (colon + 1 < line.size() && line[colon + 1] == '=') continue;
    for (const std::string_view word : split(line.substr(0, colon), ' ')) {
      if (word == target) return true;
    }
  }
  return false;
}

DraftStage by_exit_code(std::string name, std::string run, std::string why) {
  return {.name = std::move(name), .run = std::move(run), .report = {}, .why = std::move(why)};
}

bool draft_cmake(const ProjectFiles& project, Draft& draft) {
  const std::string text = project.text_of("CMakeLists.txt");
  if (text.empty()) return false;
  draft.found.emplace_back("CMake: CMakeLists.txt");
  draft.stages.push_back(
      by_exit_code("build", "cmake -S . -B build && cmake --build build -j2",
                   "a variant that does not build fails here, before a test is paid for"));
  for (const ProjectFile& file : project.files) {
    if (file.name() == "CMakeLists.txt" || file.extension() == ".cmake") {
      draft.sealed.push_back(file.path);
    }
  }
  const bool has_tests = text.find("enable_testing") != std::string::npos ||
                         text.find("include(CTest)") != std::string::npos;
  if (!has_tests) {
    draft.missing.emplace_back(
        "no CMake tests: CMakeLists.txt has neither enable_testing() nor "
        "include(CTest)");
    return true;
  }
  draft.found.emplace_back("ctest: CMakeLists.txt declares tests");
  draft.stages.push_back({.name = "test",
                          .run = "ctest --test-dir build --output-junit $INSTAR_OUT/junit.xml",
                          .report = "{junit: junit.xml}",
                          .why = "ctest writes one record for each test"});
  draft.has_tests = true;
  draft.reports_tests = true;
  return true;
}

bool draft_make(const ProjectFiles& project, Draft& draft) {
  const std::string makefile = makefile_of(project);
  if (makefile.empty()) return false;
  draft.found.push_back("make: " + makefile);
  draft.sealed.push_back(makefile);
  draft.stages.push_back(by_exit_code(
      "build", "make -j2", "a variant that does not build fails here, before a test is paid for"));
  const std::string text = project.text_of(makefile);
  for (const char* target : {"test", "check", "tests"}) {
    if (!has_target(text, target)) continue;
    draft.found.push_back(std::string("tests: `make ") + target + "`");
    draft.has_tests = true;
    draft.stages.push_back(
        by_exit_code("test", std::string("make ") + target,
                     "the exit code alone counts, so a variant must mend everything at once"));
    return true;
  }
  return true;
}

void draft_script(const ProjectFiles& project, Draft& draft) {
  for (const char* script : kTestScripts) {
    if (!project.has(script)) continue;
    draft.found.push_back(std::string("tests: ") + script);
    draft.has_tests = true;
    draft.sealed.emplace_back(script);
    draft.stages.push_back(
        by_exit_code("test", std::string("sh ") + script,
                     "the exit code alone counts, so a variant must mend everything at once"));
    return;
  }
  draft.missing.emplace_back(
      "no C tests: looked for a `test` or `check` target of make, for ctest "
      "and for a script such as test.sh");
}

}  // namespace

void draft_c(const ProjectFiles& project, Draft& draft) {
  const auto sets = split_sources(
      project,
      [](const ProjectFile& file) { return file.extension() == ".c" || file.extension() == ".h"; },
      is_test);
  const bool compiles = std::any_of(sets.sources.begin(), sets.sources.end(),
                                    [](const ProjectFile& f) { return f.extension() == ".c"; });
  if (!compiles) return;

  draft.languages.emplace_back("C");
  draft.found.push_back("C: " + describe(sets.sources));
  for (const std::string& pattern : surface_of(sets.sources, sets.tests)) {
    draft.allow.push_back(pattern);
  }
  for (const std::string& pattern : sealed_of(sets.tests)) draft.sealed.push_back(pattern);

  if (!draft_cmake(project, draft)) draft_make(project, draft);
  if (!draft.has_tests) draft_script(project, draft);
  if (draft.stages.empty()) {
    draft.missing.emplace_back("no build: looked for CMakeLists.txt and a Makefile");
    draft.stages.push_back(
        by_exit_code("build", "find . -name '*.c' -exec cc -fsyntax-only {} +",
                     "only says whether the sources are valid C: replace it by your build"));
  }
}

}  // namespace instar::engine
