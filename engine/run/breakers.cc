#include "engine/run/breakers.h"

namespace instar::engine {

std::optional<BreakerTrip> Breakers::after_result(std::uint64_t refusals_before, Verdict verdict,
                                                  std::uint64_t infra_attempts,
                                                  const std::string& reason) {
  infra_ += infra_attempts;
  if (infra_ >= limits_.infra) return BreakerTrip{"infra", infra_, reason};
  if (verdict == Verdict::kInfra) return std::nullopt;  // says nothing about the variant
  infra_ = 0;

  violations_ += refusals_before;
  if (violations_ >= limits_.violations) return BreakerTrip{"violations", violations_, reason};
  if (verdict != Verdict::kViolated) {
    violations_ = 0;
    return std::nullopt;
  }
  ++violations_;
  if (violations_ >= limits_.violations) return BreakerTrip{"violations", violations_, reason};
  return std::nullopt;
}

std::optional<BreakerTrip> Breakers::while_generating(std::uint64_t fruitless,
                                                      std::uint64_t refused,
                                                      const std::string& reason) const {
  if (refused >= limits_.violations) return BreakerTrip{"violations", refused, reason};
  if (fruitless >= limits_.stuck) return BreakerTrip{"stuck", fruitless, reason};
  return std::nullopt;
}

}  // namespace instar::engine
