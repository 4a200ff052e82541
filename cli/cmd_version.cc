#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "build_commit.h"
#include "build_info.h"
#include "cli/commands.h"
#include "cli/library_versions.h"
#include "cli/output.h"
#include "engine/syntax/language.h"

namespace instar::cli {

namespace {

std::vector<std::string> languages() {
  std::vector<std::string> names;
  for (const engine::Language* language : engine::languages()) names.emplace_back(language->name);
  std::sort(names.begin(), names.end());
  return names;
}

void print_as_json() {
  auto libraries = nlohmann::json::object();
  for (const auto& [name, version] : library_versions()) libraries[name] = version;
  print_json({{"version", build_info::kVersion},
              {"commit", build_info::kCommit.empty() ? nlohmann::json()
                                                     : nlohmann::json(build_info::kCommit)},
              {"build", {{"type", build_info::kBuildType}, {"compiler", build_info::kCompiler}}},
              {"languages", languages()},
              {"libraries", libraries}});
}

void print_as_text() {
  const auto line = [](const char* title, const std::string& text) {
    std::printf("%-10s %s\n", title, text.c_str());
  };
  std::vector<std::string> libraries;
  for (const auto& [name, version] : library_versions()) libraries.push_back(name + " " + version);
  std::printf("instar %s\n", std::string(build_info::kVersion).c_str());
  line("commit", build_info::kCommit.empty() ? "unknown" : std::string(build_info::kCommit));
  line("build", std::string(build_info::kBuildType) + ", by " + std::string(build_info::kCompiler));
  line("languages", join(languages(), ", "));
  line("libraries", join(libraries, ", "));
}

}  // namespace

Action declare_version(CLI::App&, const Globals& globals) {
  return [&globals]() -> Result<ExitCode> {
    globals.json ? print_as_json() : print_as_text();
    return ExitCode::kDone;
  };
}

}  // namespace instar::cli
