#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace instar::engine {

// Fields of a record that an earlier stretch left. The chain says that nobody changed one line, not
// that each line is well formed: one that is missing or of another type is kIntegrity.

Result<std::uint64_t> number_field(const nlohmann::json& record, const char* name);
Result<bool> flag_field(const nlohmann::json& record, const char* name);
Result<nlohmann::json> object_field(const nlohmann::json& record, const char* name);

}  // namespace instar::engine
