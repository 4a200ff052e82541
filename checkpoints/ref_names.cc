#include "checkpoints/ref_names.h"

#include <algorithm>

#include "base/text.h"

namespace instar::checkpoints {

std::string run_ref_prefix(std::string_view run) {
  return std::string(kRefRoot) + std::string(run) + "/";
}

std::string champion_ref(std::string_view run) { return run_ref_prefix(run) + "champion"; }

std::string variant_ref(std::string_view run, std::string_view variant) {
  return run_ref_prefix(run) + "v/" + std::string(variant);
}

std::string anchor_ref(std::string_view run) { return run_ref_prefix(run) + "anchor"; }

bool is_own_ref(std::string_view name) {
  if (!name.starts_with(kRefRoot)) return false;
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  for (const auto part : split(name.substr(kRefRoot.size()), '/')) {
    if (part.empty() || part.front() == '.' || part.back() == '.') return false;
    if (part.ends_with(".lock") || part.find("..") != std::string_view::npos) return false;
    if (!std::ranges::all_of(part, plain)) return false;
  }
  return true;
}

}  // namespace instar::checkpoints
