#include "engine/run/surface_look.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <span>

#include "base/text.h"
#include "engine/edit_window/glob.h"
#include "engine/syntax/language.h"

namespace instar::engine {

namespace {

constexpr std::size_t kNamed = 3;  // a warning is read, a list is not

bool is_test_directory(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames{"test", "tests", "testing",
                                                   "spec", "specs", "__tests__"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_test_name(std::string_view name) {
  if (name == "conftest.py") return true;
  const std::string_view stem = name.substr(0, name.rfind('.'));
  if (is_test_directory(stem)) return true;
  if (stem.starts_with("test_") || stem.starts_with("test-")) return true;
  constexpr std::array<std::string_view, 11> kEnds{"_test", "_tests", "-test", "-tests",
                                                   ".test", "_spec",  "-spec", ".spec",
                                                   "Test",  "Tests",  "Spec"};
  return std::any_of(kEnds.begin(), kEnds.end(),
                     [&](std::string_view end) { return stem.ends_with(end); });
}

/// "tests/**" for a file below a directory of tests, else its own path.
std::string pattern_for(const std::string& path) {
  std::string top;
  const auto parts = split(path, '/');
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    top += std::string(parts[i]) + "/";
    if (is_test_directory(parts[i])) return top + "**";
  }
  return path;
}

/// The first few, and how many more there are.
std::string some_of(const std::vector<std::string>& paths) {
  const std::size_t shown = std::min(paths.size(), kNamed);
  std::string text = join(std::span(paths).first(shown), ", ");
  if (paths.size() > shown) text += " and " + std::to_string(paths.size() - shown) + " more";
  return text;
}

std::string seal_for(const std::vector<std::string>& tests) {
  std::vector<std::string> patterns;
  for (const std::string& test : tests) {
    const std::string pattern = '"' + pattern_for(test) + '"';
    if (std::find(patterns.begin(), patterns.end(), pattern) == patterns.end()) {
      patterns.push_back(pattern);
    }
  }
  const bool more = patterns.size() > kNamed;
  if (more) patterns.resize(kNamed);
  return "sealed: [" + join(patterns, ", ") + (more ? ", …]" : "]");
}

std::string readable_languages() {
  std::vector<std::string> names;
  for (const Language* language : languages()) {
    const std::vector<std::string> extensions(language->extensions.begin(),
                                              language->extensions.end());
    names.push_back(std::string(language->name) + " (" + join(extensions, ", ") + ")");
  }
  return join(names, " and ");
}

bool left_behind_by_tests(std::string_view path) {
  return path.ends_with(".pyc") || path.find("__pycache__/") != std::string_view::npos ||
         path.find(".pytest_cache/") != std::string_view::npos;
}

}  // namespace

bool looks_like_test(std::string_view path) {
  const auto parts = split(path, '/');
  return std::any_of(parts.begin(), parts.end() - 1, is_test_directory) ||
         is_test_name(parts.back());
}

std::vector<std::string> surface_warnings(const Target& target,
                                          const std::vector<std::string>& surface) {
  std::vector<std::string> warnings;
  std::vector<std::string> tests;
  std::copy_if(surface.begin(), surface.end(), std::back_inserter(tests), looks_like_test);
  const bool everything = std::any_of(
      target.allow.begin(), target.allow.end(),
      [](const Sourced& pattern) { return pattern.value == "**" || pattern.value == "**/*"; });
  if (!tests.empty()) {
    warnings.push_back(
        "TESTS ARE ON THE SURFACE AND NOT SEALED, so a variant may change the tests that judge it, "
        "and a verdict is worth nothing: " +
        some_of(tests) + ". Write into instar.yaml: " + seal_for(tests) +
        (target.sealed.empty() ? "" : ", beside what is sealed already"));
  } else if (everything && target.sealed.empty()) {
    warnings.emplace_back(
        "every file is on the surface and none is sealed, so a variant may change the tests that "
        "judge it: name the sources in surface.allow, and the tests in `sealed`");
  }
  const bool readable = std::any_of(surface.begin(), surface.end(), [](const std::string& path) {
    return language_for(path) != nullptr;
  });
  if (!surface.empty() && !readable) {
    warnings.push_back("the generator `mutate` can change no file of the surface: it reads " +
                       readable_languages() + ", and the surface has " + some_of(surface));
  }
  return warnings;
}

Error empty_surface(const Target& target, const std::string& base) {
  std::vector<std::string> patterns;
  for (const Sourced& pattern : target.allow) {
    patterns.push_back(pattern.value + " (" + pattern.source + ")");
  }
  return {.code = ErrorCode::kInvalidInput,
          .message =
              target.origin + ": the surface matches no file of " + base + ": " + some_of(patterns),
          .hint =
              "`surface.allow` takes patterns such as \"src/**\", and protected and sealed "
              "paths never belong to it; is the code committed?"};
}

Result<std::vector<std::string>> not_committed(const std::vector<Sourced>& sealed,
                                               const checkpoints::Repository& repository,
                                               const std::vector<checkpoints::TreeEntry>& base) {
  const auto globs = INSTAR_TRY(compile_globs(sealed, Glob::Use::kProtect));
  std::set<std::string> known;
  for (const auto& entry : base) known.insert(entry.path);
  std::vector<std::string> found;
  for (std::string& path : INSTAR_TRY(repository.not_in_head())) {
    if (known.contains(path) || left_behind_by_tests(path)) continue;
    const PathForms forms(path);
    if (std::any_of(globs.begin(), globs.end(),
                    [&](const Glob& glob) { return glob.matches(forms); })) {
      found.push_back(std::move(path));
    }
  }
  return found;
}

Result<std::vector<std::string>> missed_by_seals(const std::vector<Sourced>& sealed,
                                                 const checkpoints::Repository& repository,
                                                 const std::vector<checkpoints::TreeEntry>& base) {
  const auto globs = INSTAR_TRY(compile_globs(sealed, Glob::Use::kProtect));
  std::vector<bool> used(globs.size());
  for (const auto& entry : base) {
    const PathForms forms(entry.path);
    for (std::size_t i = 0; i < globs.size(); ++i) {
      if (!used[i] && globs[i].matches(forms)) used[i] = true;
    }
  }
  std::vector<Sourced> idle;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) idle.push_back(sealed[i]);
  }
  // Ignored directories can be large: only a pattern that misses is worth the look.
  if (idle.empty()) return std::vector<std::string>();
  return not_committed(idle, repository, base);
}

std::string say_not_committed(const std::vector<std::string>& paths) {
  return "sealed files of the working tree are not committed (ignored or new), so no stage sees "
         "them: " +
         some_of(paths) + "; `git add -f` and commit them";
}

}  // namespace instar::engine
