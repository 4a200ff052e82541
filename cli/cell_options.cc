#include "cli/cell_options.h"

#include <map>

#include "engine/config/policy_keys.h"

namespace instar::cli {

using engine::YamlNode;

Result<std::pair<std::string, std::string>> name_and_value(const std::string& option,
                                                           const std::string& text) {
  const auto at = text.find('=');
  if (at != std::string::npos && at != 0) return std::pair{text.substr(0, at), text.substr(at + 1)};
  return fail(ErrorCode::kInvalidInput, option + " takes NAME=VALUE, not '" + text + "'");
}

Result<void> set_limit(isolation::Limits& limits, const std::string& text) {
  auto [name, value] = INSTAR_TRY(name_and_value("--limit", text));
  const YamlNode scalar{.kind = YamlNode::Kind::kScalar, .at = {}, .text = std::move(value)};
  const YamlNode map{
      .kind = YamlNode::Kind::kMap, .at = {}, .keys = {{std::move(name), {}}}, .items = {scalar}};
  std::map<std::string, std::string> sources;
  const engine::ReadContext context{.name = "--limit", .sources = &sources};
  auto read = engine::read_map({map, context, ""}, engine::limit_keys(limits));
  if (read) return {};
  // An option has no lines.
  Error error = read.error();
  const std::string place = engine::place(context.name, {}) + ": ";
  if (error.message.starts_with(place)) error.message.replace(0, place.size(), "--limit ");
  return fail(std::move(error));
}

}  // namespace instar::cli
