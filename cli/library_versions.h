#pragma once

#include <string>
#include <utility>
#include <vector>

namespace instar::cli {

/// (name, version) of the libraries that decide about safety or results, sorted by name: those of
/// the shared libraries that are loaded now, so that a security update of the system shows.
std::vector<std::pair<std::string, std::string>> library_versions();

}  // namespace instar::cli
