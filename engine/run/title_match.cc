#include "engine/run/title_match.h"

#include <nlohmann/json.hpp>

#include "engine/evaluation/evaluation_json.h"
#include "engine/run/record_fields.h"

namespace instar::engine {

Result<Evaluation> TitleMatch::hold(const Variant& challenger, const Accepted& champion,
                                    const std::stop_token& kill) {
  if (const auto held = journal_.find("contest", challenger.id)) {
    return evaluation_from_json(INSTAR_TRY(object_field(*held, "evaluation")), base_tests_);
  }
  Evaluation shown = evaluator_.evaluate({.tree = challenger.tree,
                                          .parent = champion.variant.tree,
                                          .parent_evaluation = &champion.evaluation,
                                          .patch_lines = challenger.patch_lines,
                                          .patch_files = challenger.patch_files,
                                          .slot = slot_},
                                         kill);
  if (shown.verdict == Verdict::kInfra) {
    return fail(
        kill.stop_requested() ? ErrorCode::kInterrupted : ErrorCode::kIo,
        "variant " + challenger.id + " could not be measured against the champion: " + shown.reason,
        "`instar resume` measures them again");
  }
  bound_added_tests(shown, base_tests_);
  INSTAR_TRY(journal_.record("contest", challenger.id,
                             {{"variant", challenger.id},
                              {"champion", champion.variant.id},
                              {"evaluation", to_json(shown, base_tests_)}}));
  return shown;
}

}  // namespace instar::engine
