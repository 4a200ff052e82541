#include "isolation/cell_environment.h"

#include <algorithm>
#include <map>

namespace instar::isolation {

namespace {

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// Names by which the loader runs code that nobody sees in the command.
bool steers_loader(std::string_view name) {
  if (name == "LD_LIBRARY_PATH") return false;
  return name.starts_with("LD_") || name == "GLIBC_TUNABLES" || name == "GCONV_PATH";
}

}  // namespace

Result<void> check_variable(const EnvVar& variable) {
  const auto refuse = [&](const std::string& why, std::string hint) {
    return fail(ErrorCode::kInvalidInput, "the environment variable '" + variable.name + "' " + why,
                std::move(hint));
  };
  if (!is_identifier(variable.name)) {
    return refuse("has a name that is no identifier", "use letters, digits and _");
  }
  if (variable.name.starts_with("INSTAR_")) {
    return refuse("is set by the cell itself", "choose a name that does not begin with INSTAR_");
  }
  if (steers_loader(variable.name)) {
    return refuse("makes the loader run other code", "load the library in the command itself");
  }
  if (variable.value.find('\0') != std::string::npos ||
      variable.value.find('\n') != std::string::npos) {
    return refuse("has a value with a NUL or a newline", "pass it in a file");
  }
  if (variable.name.size() + variable.value.size() > kLargestEnvironment) {
    return refuse("is longer than " + std::to_string(kLargestEnvironment) + " bytes",
                  "pass it in a file");
  }
  return {};
}

Result<std::vector<std::string>> build_environment(const CellPaths& paths,
                                                   const std::vector<EnvVar>& added) {
  std::map<std::string, std::string> chosen;
  std::size_t bytes = 0;
  for (const EnvVar& variable : added) {
    INSTAR_CHECK(check_variable(variable));
    bytes += variable.name.size() + variable.value.size();
    if (bytes > kLargestEnvironment) {
      return fail(ErrorCode::kInvalidInput,
                  "the environment has more than " + std::to_string(kLargestEnvironment) + " bytes",
                  "pass the data in a file");
    }
    if (!chosen.emplace(variable.name, variable.value).second) {
      return fail(ErrorCode::kInvalidInput,
                  "the environment variable '" + variable.name + "' is given twice");
    }
  }
  chosen.emplace("PATH", "/usr/local/bin:/usr/bin:/bin");
  chosen.emplace("HOME", paths.home.string());
  chosen.emplace("LANG", "C.UTF-8");
  chosen.emplace("TMPDIR", paths.temp.string());
  chosen.emplace("INSTAR_WORK", paths.work.string());
  chosen.emplace("INSTAR_OUT", paths.out.string());
  std::vector<std::string> environment;
  environment.reserve(chosen.size());
  for (const auto& [name, value] : chosen) {
    environment.push_back(std::string(name).append("=").append(value));
  }
  return environment;
}

}  // namespace instar::isolation
