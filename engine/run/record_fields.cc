#include "engine/run/record_fields.h"

#include <nlohmann/json.hpp>
#include <string>

namespace instar::engine {

namespace {

using nlohmann::json;

const json* find_field(const json& record, const char* name) {
  const auto found = record.is_object() ? record.find(name) : record.end();
  return found == record.end() ? nullptr : &*found;
}

tl::unexpected<Error> unsound(const char* name) {
  return fail(ErrorCode::kIntegrity, std::string("a record has no proper `") + name + "`",
              "`instar verify` checks the whole run");
}

}  // namespace

Result<std::uint64_t> number_field(const json& record, const char* name) {
  const json* value = find_field(record, name);
  const bool whole = value != nullptr && value->is_number_integer();
  if (!whole || (!value->is_number_unsigned() && value->get<std::int64_t>() < 0)) {
    return unsound(name);
  }
  return value->get<std::uint64_t>();
}

Result<bool> flag_field(const json& record, const char* name) {
  const json* value = find_field(record, name);
  if (value == nullptr || !value->is_boolean()) return unsound(name);
  return value->get<bool>();
}

Result<json> object_field(const json& record, const char* name) {
  const json* value = find_field(record, name);
  if (value == nullptr || !value->is_object()) return unsound(name);
  return *value;
}

}  // namespace instar::engine
