#include "engine/run/variant_tests.h"

#include <nlohmann/json.hpp>

#include "checkpoints/ledger.h"
#include "engine/evaluation/evaluation_json.h"
#include "engine/run/judged_record.h"
#include "engine/run/record_fields.h"

namespace instar::engine {

Result<VariantTests> variant_tests(const checkpoints::RunDirectory& run,
                                   const std::string& variant) {
  const auto ledger = INSTAR_TRY(checkpoints::read_ledger(run.ledger_file()));
  Baseline baseline;
  VariantTests tests;
  for (const auto& record : ledger.records) {
    if (record.type != "baseline" && record.type != "judged") continue;
    const auto fields = nlohmann::json::parse(record.line, nullptr, false);
    if (record.type == "baseline") {
      baseline = INSTAR_TRY(baseline_from_json(fields));
      continue;
    }
    if (!fields.is_object() || fields.value("variant", "") != variant) continue;
    const JudgedRecord judged = INSTAR_TRY(read_judged(fields, base_test_ids(baseline)));
    for (const auto& [id, outcome] : judged.evaluation.tests) {
      const auto before = baseline.evaluation.tests.find(id);
      const bool failed_before =
          before != baseline.evaluation.tests.end() && is_failure(before->second);
      if (is_failure(outcome)) {
        tests.failing.push_back(to_string(id));
        if (!failed_before) tests.newly_failing.push_back(to_string(id));
      } else if (failed_before) {
        tests.mended.push_back(to_string(id));
      }
    }
  }
  return tests;
}

}  // namespace instar::engine
