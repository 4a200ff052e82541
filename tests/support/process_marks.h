#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/random.h"

namespace instar::isolation {

/// Processes of the host whose command line contains `mark`.
inline std::vector<pid_t> find_by_mark(const std::string& mark) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    // One that ends under our look is not there.
    const std::string line = read_file(entry.path() / "cmdline", 4U << 20).value_or("");
    if (line.find(mark) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

/// A number of seconds that no other test sleeps, as a mark for its process.
inline std::string unique_sleep() {
  return "100000." + std::to_string(100000 + std::stoul(random_hex(2), nullptr, 16));
}

}  // namespace instar::isolation
