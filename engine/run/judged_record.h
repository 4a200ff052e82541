#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/result.h"
#include "engine/evaluation/evaluation.h"
#include "engine/run/variant.h"

namespace instar::engine {

/// What a `judged` record keeps, so that a run that goes on makes the same decision and the same
/// commit of it.
struct JudgedRecord {
  unsigned attempt = 1;              ///< the one that gave the result
  std::uint64_t infra_attempts = 0;  ///< faults of ours before it
  std::int64_t time_s = 0;           ///< of the result; the commit's time
  Evaluation evaluation;
};

/// `base_tests`: see evaluation_json.h.
nlohmann::json judged_fields(const Variant& variant, const JudgedRecord& judged,
                             const std::vector<TestId>& base_tests);
/// Gives back what was written; a field that is not sound is kIntegrity.
Result<JudgedRecord> read_judged(const nlohmann::json& fields,
                                 const std::vector<TestId>& base_tests);

}  // namespace instar::engine
