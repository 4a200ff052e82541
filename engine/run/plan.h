#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "checkpoints/repository.h"
#include "engine/config/policy.h"
#include "engine/config/target.h"
#include "engine/edit_window/surface.h"
#include "engine/run/loop.h"

namespace instar::engine {

/// What the user asked for on the command line; what is not given comes from `instar.yaml` and the
/// policy.
struct RunRequest {
  std::filesystem::path directory = ".";
  std::optional<std::string> base;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> variants;
  unsigned jobs = 0;  ///< 0: one per core
  std::optional<std::chrono::milliseconds> wall;
  std::optional<isolation::Level> level;
  std::optional<std::filesystem::path> policy;
  std::optional<std::string> generator;
  std::optional<std::string> run_id;
};

/// A run that was thought through and not begun: everything that can be wrong without running
/// anything is known.
struct RunPlan {
  checkpoints::Repository repository;
  Policy policy;
  Target target;
  checkpoints::Snapshot base;
  std::string base_ref;  ///< as named, or the branch, or "HEAD"
  RequiredLevel required;
  RunLimits limits;
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  std::uint64_t surface_files = 0;  ///< of the base that a variant may change
  std::vector<std::string> notes;   ///< what the user should know
  std::optional<std::string> run_id;
};

/// Reads policy, target and repository and checks them against each other and against this host.
/// Writes nothing.
Result<RunPlan> plan_run(const RunRequest& request);

/// The surface of a target under a policy, for the edit window.
Surface surface_of(const Target& target, const Policy& policy);

/// What a run may use: min(request, cap), and which of the two decided.
RunLimits limits_of(const Target& target, const Policy& policy,
                    const std::optional<std::uint64_t>& variants,
                    const std::optional<std::chrono::milliseconds>& wall);

/// Tells what of a request is above a cap of the policy, and so is cut to it.
void note_caps(const Policy& policy, const std::optional<std::uint64_t>& variants,
               const std::optional<std::chrono::milliseconds>& wall,
               std::vector<std::string>& notes);

/// Cells at once: `asked`, or one per core, at most `window`; a clipped request is noted.
unsigned clip_jobs(unsigned asked, unsigned window, std::vector<std::string>& notes);

}  // namespace instar::engine
