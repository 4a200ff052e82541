#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "engine/run/loop.h"
#include "engine/run/observer.h"
#include "engine/run/plan.h"

namespace instar::engine {

/// Runs a plan: creates the run, measures the base, loops. The cells' launchers are forked first,
/// so no other thread may exist yet; `begin_signals` is called once they stand and gives the
/// control of the run.
Result<RunResult> start_run(RunPlan plan, const Clock& clock, RunObserver& observer,
                            const std::function<RunControl()>& begin_signals);

/// What may change when a run goes on: limits, never what decides.
struct ResumeRequest {
  std::filesystem::path directory = ".";
  std::string run;
  std::optional<std::uint64_t> variants;
  unsigned jobs = 0;
  std::optional<std::chrono::milliseconds> wall;
};

struct Resumed {
  RunResult result;
  isolation::Level level;
  std::uint64_t seed;
};

/// Goes on from the record of a run that was stopped or cut off, to the end that it would have come
/// to.
Result<Resumed> resume_run(const ResumeRequest& request, const Clock& clock, RunObserver& observer,
                           const std::function<RunControl()>& begin_signals);

}  // namespace instar::engine
