#include "cli/run_json.h"

#include <nlohmann/json.hpp>

namespace instar::cli {

nlohmann::json run_json(const engine::RunResult& result, isolation::Level level,
                        std::uint64_t seed) {
  const engine::Counters& count = result.counters;
  nlohmann::json object = {
      {"run", result.run},
      {"status", result.champion ? "improved" : "unchanged"},
      {"solved", result.solved},
      {"ended", to_string(result.ended)},
      {"breaker", nullptr},
      {"level", to_string(level)},
      {"seed", seed},
      {"variants",
       {{"generated", count.generated},
        {"refused", count.refused},
        {"duplicate", count.duplicate},
        {"evaluated", count.evaluated},
        {"passed", count.passed},
        {"accepted", count.accepted},
        {"violated", count.violated},
        {"timeout", count.timeout},
        {"infra", count.infra}}},
      {"champion", nullptr},
      {"baseline", {{"metrics", result.baseline}}},
      {"seconds", result.seconds},
  };
  if (result.breaker) {
    object["breaker"] = {{"rule", result.breaker->rule},
                         {"count", result.breaker->count},
                         {"detail", result.breaker->detail}};
  }
  if (result.champion) {
    object["champion"] = {{"variant", result.champion->variant.id},
                          {"commit", result.champion->commit.hex()},
                          {"tree", result.champion->variant.tree.hex()},
                          {"metrics", result.champion->evaluation.metrics}};
  }
  return object;
}

}  // namespace instar::cli
