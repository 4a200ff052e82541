#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/result.h"
#include "engine/evaluation/evaluation.h"

namespace instar::engine {

/// The baseline as the ledger keeps it: the ids of the base's tests stand here once.
nlohmann::json to_json(const Baseline& baseline);
Result<Baseline> baseline_from_json(const nlohmann::json& json);

/// An evaluation as the ledger keeps it: the outcomes of the base's tests are one text of a letter
/// per test, in the order of `ids` (`base_test_ids` of the baseline); tests that the base does not
/// have stand behind it by name. Reading gives back exactly what was written. An outcome letter, a
/// verdict or a number that is not sound is kIntegrity.
nlohmann::json to_json(const Evaluation& evaluation, const std::vector<TestId>& ids);
Result<Evaluation> evaluation_from_json(const nlohmann::json& json, const std::vector<TestId>& ids);

/// Drops what a record must not have to hold: of the tests that the base does not have, which a
/// variant can report without end, the first 20 stay, their names cut to 200 bytes; a note counts
/// the others. They decide nothing.
void bound_added_tests(Evaluation& evaluation, const std::vector<TestId>& ids);

/// The order in which the records of a run tell outcomes: that of the baseline's map of tests.
std::vector<TestId> base_test_ids(const Baseline& baseline);

}  // namespace instar::engine
