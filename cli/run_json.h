#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/run/run_state.h"
#include "isolation/cell.h"

namespace instar::cli {

/// The object that `evolve --json` and `resume --json` end with, without `schema_version`.
nlohmann::json run_json(const engine::RunResult& result, isolation::Level level,
                        std::uint64_t seed);

}  // namespace instar::cli
