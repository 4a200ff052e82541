#include "engine/config/policy.h"

#include <cstdlib>

#include "base/files.h"
#include "engine/config/policy_keys.h"
#include "engine/config/units.h"
#include "safety_yaml.h"

namespace instar::engine {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSystemPolicy = "/etc/instar/safety.yaml";
constexpr std::string_view kBuiltIn = "built-in default";

Result<Policy> read_policy(const fs::path& path, const std::string& named_by) {
  auto text = read_file(path, kMaxConfigBytes);
  if (!text) {
    Error error = text.error().while_doing("reading the policy (" + named_by + ")");
    if (error.hint.empty()) {
      error.hint = "name another file, or leave it out to use the built-in default";
    }
    return fail(std::move(error));
  }
  return parse_policy(std::move(*text), path.string());
}

}  // namespace

std::string_view default_policy_text() { return embedded::safety_yaml; }

Result<Policy> built_in_policy() {
  Policy policy =
      INSTAR_TRY(parse_policy(std::string(default_policy_text()), "built-in safety.yaml"));
  policy.origin = kBuiltIn;
  policy.sources.clear();
  return policy;
}

Result<Policy> load_policy(const std::optional<fs::path>& flag) {
  if (flag) return read_policy(*flag, "--policy");
  // A policy that is named and cannot be read is an error: falling through to a weaker one would
  // let a typo lower the guard.
  const char* variable = std::getenv("INSTAR_POLICY");
  if (variable != nullptr && *variable != '\0') return read_policy(variable, "$INSTAR_POLICY");
  std::error_code error;
  const auto status = fs::symlink_status(kSystemPolicy, error);
  if (status.type() == fs::file_type::not_found) return built_in_policy();
  return read_policy(kSystemPolicy, "the system's");
}

Result<Policy> parse_policy(std::string text, const std::string& name) {
  const YamlNode root = INSTAR_TRY(parse_strict_yaml(text, name));
  Policy policy;
  const ReadContext context{.name = name, .sources = &policy.sources};
  const Value value(root, context, "");
  if (root.kind == YamlNode::Kind::kNull) {
    return value.refuse("the policy is empty", "write at least `version: 1`");
  }
  INSTAR_CHECK(read_map(value, policy_keys(policy, PolicyFile::kOperator)));
  INSTAR_CHECK(check_combinations(policy, value));
  policy.digest = sha256(text);
  policy.text = std::move(text);
  policy.origin = name;
  return policy;
}

Result<void> check_combinations(const Policy& policy, const Value& root) {
  // Errors stand at the key that was written, else at the map.
  const auto at = [&](std::string_view map, std::string_view key) {
    if (root.child(map) == nullptr) return root;
    const Value inner = root.at(map);
    return inner.child(key) == nullptr ? inner : inner.at(key);
  };
  if (policy.run.wall <= policy.cell.wall) {
    const bool by_run = root.child("run") != nullptr && root.at("run").child("wall") != nullptr;
    return at(by_run ? "run" : "cell", "wall")
        .refuse("a run of " + show_duration(policy.run.wall) +
                    " cannot hold one cell of cell.wall " + show_duration(policy.cell.wall),
                "raise run.wall above cell.wall, or lower cell.wall");
  }
  return {};
}

std::vector<Effective> effective_policy(const Policy& policy) {
  Policy shown = policy;
  return effective_values(policy_keys(shown, PolicyFile::kOperator), policy.sources);
}

}  // namespace instar::engine
