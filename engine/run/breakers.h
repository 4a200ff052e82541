#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/config/policy.h"
#include "engine/run/run_state.h"

namespace instar::engine {

/// Counts consecutive faults by kind and says when a rule stops the run. Faults of variants never
/// count as infrastructure, nor the reverse.
class Breakers {
 public:
  explicit Breakers(const BreakerLimits& limits) : limits_(limits) {}

  /// Refusals at the edit window that came between the last variant and this result, then the
  /// result itself.
  std::optional<BreakerTrip> after_result(std::uint64_t refusals_before, Verdict verdict,
                                          std::uint64_t infra_attempts, const std::string& reason);

  /// Proposals in a row that gave nothing to evaluate, since the last admitted variant.
  [[nodiscard]] std::optional<BreakerTrip> while_generating(std::uint64_t fruitless,
                                                            std::uint64_t refused,
                                                            const std::string& reason) const;

 private:
  BreakerLimits limits_;
  std::uint64_t violations_ = 0;
  std::uint64_t infra_ = 0;
};

}  // namespace instar::engine
