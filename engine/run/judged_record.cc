#include "engine/run/judged_record.h"

#include <nlohmann/json.hpp>

#include "engine/evaluation/evaluation_json.h"
#include "engine/run/record_fields.h"

namespace instar::engine {

nlohmann::json judged_fields(const Variant& variant, const JudgedRecord& judged,
                             const std::vector<TestId>& base_tests) {
  return {{"n", variant.n},
          {"variant", variant.id},
          {"attempt", judged.attempt},
          {"infra_attempts", judged.infra_attempts},
          {"time_s", judged.time_s},
          {"verdict", to_string(judged.evaluation.verdict)},
          {"evaluation", to_json(judged.evaluation, base_tests)}};
}

Result<JudgedRecord> read_judged(const nlohmann::json& fields,
                                 const std::vector<TestId>& base_tests) {
  JudgedRecord judged;
  judged.attempt = static_cast<unsigned>(INSTAR_TRY(number_field(fields, "attempt")));
  judged.infra_attempts = INSTAR_TRY(number_field(fields, "infra_attempts"));
  judged.time_s = static_cast<std::int64_t>(INSTAR_TRY(number_field(fields, "time_s")));
  judged.evaluation =
      INSTAR_TRY(evaluation_from_json(INSTAR_TRY(object_field(fields, "evaluation")), base_tests));
  return judged;
}

}  // namespace instar::engine
