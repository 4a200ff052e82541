#include "cli/metric_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace instar::cli {

std::string metric_text(std::string_view name, double value) {
  if (name.ends_with("_bytes")) return fmt::format("{:.1f} MiB", value / (1024.0 * 1024.0));
  if (name.ends_with("_s")) return fmt::format("{:.3g} s", value);
  return fmt::format("{:g}", value);
}

std::string change_text(const std::string& name, const engine::Metrics& metrics,
                        const engine::Metrics& baseline) {
  const auto now = metrics.find(name);
  if (now == metrics.end()) return {};
  const auto before = baseline.find(name);
  const bool changed = before != baseline.end() && before->second != now->second;
  return escape_for_terminal(name) + " " +
         (changed ? metric_text(name, before->second) + " -> " : "") +
         metric_text(name, now->second);
}

std::string changes_text(const std::vector<std::string>& names, const engine::Metrics& metrics,
                         const engine::Metrics& baseline) {
  std::string text;
  for (const std::string& name : names) {
    const std::string one = change_text(name, metrics, baseline);
    if (one.empty()) continue;
    text += (text.empty() ? "" : "  ") + one;
  }
  return text;
}

}  // namespace instar::cli
