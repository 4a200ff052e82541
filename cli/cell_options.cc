#include "cli/cell_options.h"

#include <array>
#include <chrono>
#include <vector>

#include "base/text.h"
#include "engine/config/units.h"

namespace instar::cli {

namespace {

using isolation::Limits;

struct LimitKey {
  const char* name;
  const char* example;
  std::chrono::milliseconds Limits::*duration = nullptr;
  std::uint64_t Limits::*size = nullptr;
  std::uint64_t Limits::*count = nullptr;
};

constexpr std::array kLimitKeys{
    LimitKey{.name = "wall", .example = "60s", .duration = &Limits::wall},
    LimitKey{.name = "cpu", .example = "60s", .duration = &Limits::cpu},
    LimitKey{.name = "memory", .example = "2GiB", .size = &Limits::memory_bytes},
    LimitKey{.name = "processes", .example = "256", .count = &Limits::processes},
    LimitKey{.name = "open_files", .example = "256", .count = &Limits::open_files},
    LimitKey{.name = "file_size", .example = "256MiB", .size = &Limits::file_size_bytes},
    LimitKey{.name = "workspace", .example = "1GiB", .size = &Limits::workspace_bytes},
    LimitKey{.name = "inodes", .example = "100000", .count = &Limits::inodes},
    LimitKey{.name = "output", .example = "1MiB", .size = &Limits::output_bytes},
    LimitKey{.name = "outputs", .example = "64MiB", .size = &Limits::outputs_bytes},
};

template <class Value>
bool assign(Limits& limits, Value Limits::*member, const std::optional<Value>& value) {
  if (!value || *value == Value{}) return false;
  limits.*member = *value;
  return true;
}

bool assign_text(Limits& limits, const LimitKey& key, const std::string& text) {
  if (key.duration != nullptr) return assign(limits, key.duration, engine::parse_duration(text));
  if (key.size != nullptr) return assign(limits, key.size, engine::parse_size(text));
  return assign(limits, key.count, engine::parse_count(text));
}

}  // namespace

Result<std::pair<std::string, std::string>> name_and_value(const std::string& option,
                                                           const std::string& text) {
  const auto at = text.find('=');
  if (at != std::string::npos && at != 0) return std::pair{text.substr(0, at), text.substr(at + 1)};
  return fail(ErrorCode::kInvalidInput, option + " takes NAME=VALUE, not '" + text + "'");
}

Result<void> set_limit(Limits& limits, const std::string& text) {
  const auto [name, value] = INSTAR_TRY(name_and_value("--limit", text));
  std::vector<std::string> names;
  for (const LimitKey& key : kLimitKeys) {
    names.emplace_back(key.name);
    if (name != key.name) continue;
    if (assign_text(limits, key, value)) return {};
    return fail(ErrorCode::kInvalidInput,
                "--limit " + name + " cannot be '" + value + "'; zero is never unlimited",
                "write it like --limit " + name + "=" + key.example);
  }
  const std::string near = did_you_mean(name, names);
  return fail(ErrorCode::kInvalidInput, "there is no limit named '" + name + "'",
              near.empty() ? "the limits are " + join(names, ", ") : "did you mean " + near + "?");
}

}  // namespace instar::cli
