#include "engine/config/metric_names.h"

#include <algorithm>

#include "base/text.h"

namespace instar::engine {

namespace {

constexpr std::size_t kLongestName = 64;

bool is_word(std::string_view name, std::string_view more) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  more.find(c) != std::string_view::npos;
         });
}

}  // namespace

bool is_reserved_stage(std::string_view name) {
  return name == "tests" || name == "patch" || name == "stages" || name == "holdout";
}

bool is_stage_name(std::string_view name) { return is_word(name, "_-"); }

const std::vector<std::string>& resource_metrics() {
  static const std::vector<std::string> kNames{"wall_s", "cpu_s", "peak_memory_bytes"};
  return kNames;
}

const std::vector<std::string>& measured_metrics() {
  static const std::vector<std::string> kNames{"wall_s",      "cpu_s",        "peak_memory_bytes",
                                               "tests.total", "tests.passed", "tests.failed",
                                               "patch.lines", "patch.files",  "stages.failed"};
  return kNames;
}

std::string why_no_metric(std::string_view name) {
  const auto& known = measured_metrics();
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) {
    return "it is not a measured metric, and one of a stage is named `<stage>.<name>`";
  }
  const std::string_view stage = name.substr(0, dot);
  if (is_reserved_stage(stage)) return "nothing of that name is measured";
  if (!is_stage_name(stage)) return "the part before the dot is no stage's name";
  const auto letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  const std::string_view rest = name.substr(dot + 1);
  if (rest.empty() || rest.size() > kLongestName ||
      !std::all_of(rest.begin(), rest.end(), letter)) {
    return "the part after the dot holds letters, digits, `_`, `-` and `.` only, 64 at most";
  }
  return {};
}

}  // namespace instar::engine
