#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "checkpoints/repository.h"
#include "engine/config/policy.h"
#include "engine/config/target.h"
#include "isolation/level_available.h"

namespace instar::cli {

/// What the patterns of a target stand for in its base commit.
struct Coverage {
  std::vector<std::string> surface;  ///< paths that a variant may change
  std::size_t sealed = 0;            ///< files that are taken from the base and checked
  std::vector<std::string> idle;     ///< "src/*.py (instar.yaml:4)": patterns that match nothing
  std::vector<std::string> missed;   ///< files that such seals mean, which are not committed
};

/// Everything that `instar check` tells, gathered before a word of it is printed.
struct CheckReport {
  engine::Policy policy;  ///< as the target has tightened it
  engine::Target target;
  engine::RequiredLevel required;
  isolation::Availability available;
  checkpoints::CommitId base;
  Coverage coverage;
  std::vector<std::string> warnings;
  [[nodiscard]] bool level_suffices() const {
    return available.level && *available.level >= required.level;
  }
};

struct CheckRequest {
  std::filesystem::path directory;
  std::optional<std::filesystem::path> policy;
  std::optional<isolation::Level> level;
};

/// Reads and validates both files and looks at HEAD. Runs nothing of the target, writes nothing.
Result<CheckReport> make_check_report(const CheckRequest& request);

}  // namespace instar::cli
