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

/// Targets by which people run the tests, the usual ones first.
constexpr std::array<std::string_view, 3> kTestTargets{"test", "check", "tests"};

struct MakeRule {
  std::vector<std::string_view> targets;
  std::vector<std::string_view> needs;
};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) words.push_back(trim(word));
  }
  return words;
}

/// The rules in their order: "test:" or "all test check: prog", not "test := x". Variables and
/// continued lines are not understood: it is a proposal, and a person reads it.
std::vector<MakeRule> make_rules(std::string_view makefile) {
  std::vector<MakeRule> rules;
  for (std::string_view line : split(makefile, '\n')) {
    if (line.starts_with('\t') || line.starts_with('#')) continue;
    line = line.substr(0, line.find('#'));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || line.find('=') < colon) continue;
    std::string_view needs = line.substr(colon + 1);
    if (needs.starts_with(':')) needs.remove_prefix(1);
    if (needs.starts_with('=') || needs.starts_with(":=")) continue;
    needs = needs.substr(0, needs.find(';'));
    // "target: VARIABLE = value" has no prerequisites.
    if (needs.find('=') != std::string_view::npos) needs = {};
    rules.push_back({.targets = words_of(line.substr(0, colon)), .needs = words_of(needs)});
  }
  return rules;
}

bool contains(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has_target(const std::vector<MakeRule>& rules, std::string_view target) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const MakeRule& rule) { return contains(rule.targets, target); });
}

/// Whether making `target` makes a target that runs the tests, itself or by what it needs.
bool runs_tests(const std::vector<MakeRule>& rules, std::string_view target) {
  std::vector<std::string_view> made{target};
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (std::find(kTestTargets.begin(), kTestTargets.end(), made[i]) != kTestTargets.end()) {
      return true;
    }
    for (const MakeRule& rule : rules) {
      if (!contains(rule.targets, made[i])) continue;
      for (const std::string_view need : rule.needs) {
        if (!contains(made, need)) made.push_back(need);
      }
    }
  }
  return false;
}

/// What plain `make` makes: the first target that is none of make's own; empty when none is seen.
std::string_view default_target(const std::vector<MakeRule>& rules) {
  for (const MakeRule& rule : rules) {
    for (const std::string_view target : rule.targets) {
      const bool special = target.starts_with('.') && target.find('/') == std::string_view::npos;
      if (!special && target.find('%') == std::string_view::npos) return target;
    }
  }
  return {};
}

/// The command that builds and does not test; empty when there is no target for it. A build stage
/// that runs the tests too would fail in their place, and no test would ever be reported.
std::string make_build(const std::vector<MakeRule>& rules) {
  if (!runs_tests(rules, default_target(rules))) return "make -j2";
  for (const char* target : {"all", "build"}) {
    if (has_target(rules, target) && !runs_tests(rules, target)) {
      return std::string("make -j2 ") + target;
    }
  }
  return {};
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
  const std::string text = project.text_of(makefile);
  const auto rules = make_rules(text);
  if (const std::string build = make_build(rules); !build.empty()) {
    draft.stages.push_back(by_exit_code(
        "build", build, "a variant that does not build fails here, before a test is paid for"));
  }
  for (const std::string_view target : kTestTargets) {
    if (!has_target(rules, target)) continue;
    draft.found.push_back("tests: `make " + std::string(target) + "`");
    draft.has_tests = true;
    draft.stages.push_back(
        by_exit_code("test", "make " + std::string(target),
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
