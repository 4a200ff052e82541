#include "cli/option_values.h"

#include <charconv>
#include <vector>

#include "base/text.h"
#include "engine/config/units.h"

namespace instar::cli {

namespace {

Result<std::optional<std::uint64_t>> number_from(std::uint64_t least, const std::string& option,
                                                 const std::optional<std::string>& text) {
  if (!text) return std::optional<std::uint64_t>();
  std::uint64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [at, error] = std::from_chars(text->data(), end, value);
  if (error == std::errc() && at == end) return std::optional(value);
  return fail(ErrorCode::kInvalidInput,
              option + " '" + *text + "' is not a whole number from " + std::to_string(least),
              "give a number below 2^64, such as " + option + " 1");
}

}  // namespace

Result<std::optional<std::uint64_t>> whole_number(const std::string& option,
                                                  const std::optional<std::string>& text) {
  return number_from(0, option, text);
}

Result<std::optional<std::uint64_t>> positive_number(const std::string& option,
                                                     const std::optional<std::string>& text,
                                                     std::uint64_t most) {
  const auto value = INSTAR_TRY(number_from(1, option, text));
  if (value && *value == 0) {
    return fail(ErrorCode::kInvalidInput, option + " 0 would run nothing",
                "give a number from 1, or leave " + option + " out");
  }
  if (value && *value > most) {
    return fail(ErrorCode::kInvalidInput, option + " " + *text + " is out of range",
                "give a number up to " + std::to_string(most));
  }
  return value;
}

Result<std::optional<std::chrono::milliseconds>> duration_value(
    const std::string& option, const std::optional<std::string>& text) {
  if (!text) return std::optional<std::chrono::milliseconds>();
  const auto duration = engine::parse_duration(*text);
  if (duration && duration->count() <= 0) {
    return fail(ErrorCode::kInvalidInput,
                option + " '" + *text + "' is out of range: it is no time",
                "give at least 1ms, or leave " + option + " out");
  }
  if (!duration) {
    return fail(ErrorCode::kInvalidInput, option + " '" + *text + "' is not a duration",
                "write a number with its unit: " + option + " 90s, 10m or 8h");
  }
  return duration;
}

Result<std::optional<isolation::Level>> level_value(const std::string& option,
                                                    const std::optional<std::string>& text) {
  if (!text) return std::optional<isolation::Level>();
  const auto level = isolation::parse_level(*text);
  if (!level) {
    const std::vector<std::string> levels{"guarded", "namespace", "container"};
    const std::string near = did_you_mean(*text, levels);
    return fail(ErrorCode::kInvalidInput, option + " '" + *text + "' is not a level",
                near.empty() ? "the levels are guarded, namespace and container"
                             : "did you mean " + near + "?");
  }
  return level;
}

}  // namespace instar::cli
