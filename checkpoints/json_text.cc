#include "checkpoints/json_text.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace instar::checkpoints {

namespace {

Result<nlohmann::json> representable(const nlohmann::json& value, std::size_t& budget) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > budget) return fail(ErrorCode::kInvalidInput, "a record is too long");
    budget -= text.size();
    return nlohmann::json(as_utf8(text));
  }
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    return fail(ErrorCode::kInternal, "a number in a record is not finite");
  }
  if (value.is_binary() || value.is_discarded()) {
    return fail(ErrorCode::kInternal, "a value in a record has no JSON form");
  }
  if (value.is_array()) {
    nlohmann::json copy = nlohmann::json::array();
    for (const auto& element : value) copy.push_back(INSTAR_TRY(representable(element, budget)));
    return copy;
  }
  if (value.is_object()) {
    nlohmann::json copy = nlohmann::json::object();
    for (const auto& [key, element] : value.items()) {
      copy[as_utf8(key)] = INSTAR_TRY(representable(element, budget));
    }
    // Two different byte strings may have the same escaped form.
    if (copy.size() != value.size()) {
      return fail(ErrorCode::kInternal, "two keys of a record look the same");
    }
    return copy;
  }
  return value;
}

}  // namespace

std::string as_utf8(std::string_view text) {
  std::size_t valid = 0;
  while (valid < text.size()) {
    const std::size_t length = decode_utf8(text.substr(valid)).length;
    if (length == 0) break;
    valid += length;
  }
  std::string out(text.substr(0, valid));
  text.remove_prefix(valid);
  while (!text.empty()) {
    const std::size_t length = decode_utf8(text).length;
    if (length == 0) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(text[0]));
      out += escaped;
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

Result<std::string> canonical_json(const nlohmann::json& value, std::size_t max_bytes) {
  const nlohmann::json clean = INSTAR_TRY(representable(value, max_bytes));
  try {
    return clean.dump(-1, ' ', false, nlohmann::json::error_handler_t::strict);
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorCode::kInternal, std::string("cannot write a record: ") + error.what());
  }
}

}  // namespace instar::checkpoints
