#include "engine/evaluation/evaluation_json.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/utf8.h"

namespace instar::engine {

namespace {

using nlohmann::json;

constexpr std::string_view kOutcomeLetters = "pfesxmt";
/// The place of a base test that an evaluation says nothing about (its cascade never got there).
constexpr char kUnknown = '-';

constexpr std::size_t kMostAdded = 20;      ///< what a reader looks at
constexpr std::size_t kLongestAdded = 200;  ///< bytes of a name: recognisable

tl::unexpected<Error> unsound(const std::string& what) {
  return fail(ErrorCode::kIntegrity, "the record of an evaluation is not sound: " + what,
              "`instar verify` tells where the ledger was changed");
}

json to_json(const TestId& id) { return json::array({id.stage, id.classname, id.name}); }

TestId test_id_from(const json& id) {
  return {.stage = id.at(0).get<std::string>(),
          .classname = id.at(1).get<std::string>(),
          .name = id.at(2).get<std::string>()};
}

Result<TestOutcome> outcome_from(char letter) {
  if (kOutcomeLetters.find(letter) == std::string_view::npos) {
    return unsound("an outcome is none of " + std::string(kOutcomeLetters));
  }
  return static_cast<TestOutcome>(letter);
}

std::vector<TestId> ids_from(const json& array) {
  std::vector<TestId> ids;
  for (const json& id : array) ids.push_back(test_id_from(id));
  return ids;
}

json ids_to_json(const std::vector<TestId>& ids) {
  json array = json::array();
  for (const TestId& id : ids) array.push_back(to_json(id));
  return array;
}

json tests_to_json(const std::map<TestId, TestOutcome>& tests, const std::vector<TestId>& ids,
                   json& added) {
  std::string letters;
  std::map<TestId, TestOutcome> rest = tests;
  for (const TestId& id : ids) {
    const auto found = rest.find(id);
    letters += found == rest.end() ? kUnknown : static_cast<char>(found->second);
    if (found != rest.end()) rest.erase(found);
  }
  added = json::array();
  for (const auto& [id, outcome] : rest) {
    added.push_back({{"id", to_json(id)}, {"outcome", std::string(1, static_cast<char>(outcome))}});
  }
  return letters;
}

Result<std::map<TestId, TestOutcome>> tests_from_json(const json& record,
                                                      const std::vector<TestId>& ids) {
  std::map<TestId, TestOutcome> tests;
  const std::string letters = record.at("tests").get<std::string>();
  if (letters.size() != ids.size()) {
    return unsound("it has " + std::to_string(letters.size()) + " outcomes for " +
                   std::to_string(ids.size()) + " tests of the base");
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (letters[i] == kUnknown) continue;
    tests.emplace(ids[i], INSTAR_TRY(outcome_from(letters[i])));
  }
  for (const json& added : record.at("added")) {
    const std::string letter = added.at("outcome").get<std::string>();
    if (letter.size() != 1) return unsound("an outcome is not one letter");
    tests.emplace(test_id_from(added.at("id")), INSTAR_TRY(outcome_from(letter[0])));
  }
  return tests;
}

Result<Evaluation> read_evaluation(const json& record, const std::vector<TestId>& ids) {
  Evaluation evaluation;
  const auto verdict = parse_verdict(record.at("verdict").get<std::string>());
  if (!verdict) return unsound("its verdict is unknown");
  evaluation.verdict = *verdict;
  evaluation.reason = record.at("reason").get<std::string>();
  evaluation.stage = record.at("stage").get<std::string>();
  evaluation.metrics = record.at("metrics").get<Metrics>();
  evaluation.samples = record.at("samples").get<Samples>();
  evaluation.parent_samples = record.at("parent_samples").get<Samples>();
  evaluation.tests = INSTAR_TRY(tests_from_json(record, ids));
  evaluation.output_excerpt = record.at("output").get<std::string>();
  evaluation.notes = record.at("notes").get<std::vector<std::string>>();
  return evaluation;
}

Result<Baseline> read_baseline(const json& record) {
  Baseline baseline;
  const std::vector<TestId> ids = ids_from(record.at("ids"));
  baseline.evaluation = INSTAR_TRY(read_evaluation(record.at("evaluation"), ids));
  baseline.flaky = ids_from(record.at("flaky"));
  baseline.cpu_s = record.at("cpu_s").get<std::map<std::string, double>>();
  baseline.wall_s = record.at("wall_s").get<std::map<std::string, double>>();
  baseline.slowest_test_cpu_s =
      record.at("slowest_test_cpu_s").get<std::map<std::string, double>>();
  baseline.stage_created = record.at("stage_created").get<std::vector<std::string>>();
  baseline.stage_touched = record.at("stage_touched").get<std::vector<std::string>>();
  return baseline;
}

}  // namespace

json to_json(const Evaluation& evaluation, const std::vector<TestId>& ids) {
  json added;
  json tests = tests_to_json(evaluation.tests, ids, added);
  return {{"verdict", to_string(evaluation.verdict)},
          {"reason", evaluation.reason},
          {"stage", evaluation.stage},
          {"metrics", evaluation.metrics},
          {"samples", evaluation.samples},
          {"parent_samples", evaluation.parent_samples},
          {"tests", std::move(tests)},
          {"added", std::move(added)},
          {"output", evaluation.output_excerpt},
          {"notes", evaluation.notes}};
}

Result<Evaluation> evaluation_from_json(const json& record, const std::vector<TestId>& ids) try {
  return read_evaluation(record, ids);
} catch (const json::exception& error) {
  return unsound(error.what());
}

json to_json(const Baseline& baseline) {
  const std::vector<TestId> ids = base_test_ids(baseline);
  return {{"ids", ids_to_json(ids)},
          {"evaluation", to_json(baseline.evaluation, ids)},
          {"flaky", ids_to_json(baseline.flaky)},
          {"cpu_s", baseline.cpu_s},
          {"wall_s", baseline.wall_s},
          {"slowest_test_cpu_s", baseline.slowest_test_cpu_s},
          {"stage_created", baseline.stage_created},
          {"stage_touched", baseline.stage_touched}};
}

Result<Baseline> baseline_from_json(const json& record) try {
  return read_baseline(record);
} catch (const json::exception& error) {
  return unsound(error.what());
}

void bound_added_tests(Evaluation& evaluation, const std::vector<TestId>& ids) {
  std::map<TestId, TestOutcome> kept;
  for (const TestId& id : ids) {
    if (auto known = evaluation.tests.extract(id)) kept.insert(std::move(known));
  }
  const std::size_t added = evaluation.tests.size();
  if (added == 0) {
    evaluation.tests = std::move(kept);
    return;
  }
  std::size_t named = 0;
  for (const auto& [id, outcome] : evaluation.tests) {
    if (named == kMostAdded) break;
    const TestId cut{.stage = id.stage,
                     .classname = std::string(clipped(id.classname, kLongestAdded)),
                     .name = std::string(clipped(id.name, kLongestAdded))};
    if (kept.emplace(cut, outcome).second) ++named;
  }
  if (named < added) {
    evaluation.notes.push_back(std::to_string(added - named) +
                               " more tests that the base does not have were reported");
  }
  evaluation.tests = std::move(kept);
}

std::vector<TestId> base_test_ids(const Baseline& baseline) {
  std::vector<TestId> ids;
  ids.reserve(baseline.evaluation.tests.size());
  for (const auto& [id, outcome] : baseline.evaluation.tests) ids.push_back(id);
  return ids;
}

}  // namespace instar::engine
