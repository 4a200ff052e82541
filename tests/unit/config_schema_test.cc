#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/files.h"
#include "engine/config/policy_keys.h"
#include "engine/config/target_keys.h"

namespace instar::engine {
namespace {

using nlohmann::json;
using testing::ContainerEq;

/// The two schemas, which refer to each other by file name.
class Schemas {
 public:
  Schemas() {
    for (const char* name : {"policy.schema.json", "target.schema.json"}) {
      const auto text =
          read_file(std::filesystem::path(INSTAR_SOURCE_DIR) / "configs" / name, 1 << 20);
      files_[name] = json::parse(text.value());
    }
  }

  [[nodiscard]] std::set<std::string> keys(const std::string& file) const {
    std::set<std::string> out;
    collect(file, files_.at(file), "", out);
    return out;
  }

  /// Calls `visit(path, schema)` for every key.
  template <class Visit>
  void each(const std::string& file, const json& schema, const std::string& prefix,
            const Visit& visit) const {
    const json properties = schema.value("properties", json::object());
    for (const auto& [name, raw] : properties.items()) {
      const auto [where, inner] = resolve(file, raw);
      const std::string path = prefix.empty() ? name : prefix + "." + name;
      visit(path, raw, *inner);
      each(where, *inner, path, visit);
      if (inner->contains("items") && (*inner)["items"].is_object()) {
        each(where, (*inner)["items"], path + "[]", visit);
      }
    }
  }
  [[nodiscard]] const json& root(const std::string& file) const { return files_.at(file); }

 private:
  [[nodiscard]] std::pair<std::string, const json*> resolve(const std::string& file,
                                                            const json& schema) const {
    if (!schema.contains("$ref")) return {file, &schema};
    const std::string ref = schema["$ref"];
    const auto hash = ref.find('#');
    const std::string where = hash == 0 ? file : ref.substr(0, hash);
    return {where, &files_.at(where).at(json::json_pointer(ref.substr(hash + 1)))};
  }

  void collect(const std::string& file, const json& schema, const std::string& prefix,
               std::set<std::string>& out) const {
    if (schema.value("additionalProperties", json()).is_object()) out.insert(prefix + ".*");
    const json properties = schema.value("properties", json::object());
    for (const auto& [name, raw] : properties.items()) {
      const auto [where, inner] = resolve(file, raw);
      const std::string path = prefix.empty() ? name : prefix + "." + name;
      out.insert(path);
      collect(where, *inner, path, out);
      const json items = inner->value("items", json());
      if (items.is_object()) collect(where, items, path + "[]", out);
    }
  }

  std::map<std::string, json> files_;
};

std::set<std::string> as_set(const std::vector<std::string>& keys) {
  return {keys.begin(), keys.end()};
}

TEST(ConfigSchema, PolicySchemaHasExactlyTheKeysOfTheLoader) {
  Policy policy;
  EXPECT_THAT(Schemas().keys("policy.schema.json"),
              ContainerEq(as_set(dotted_keys(policy_keys(policy, PolicyFile::kOperator)))));
}

TEST(ConfigSchema, TargetSchemaHasExactlyTheKeysOfTheLoader) {
  Policy policy;
  Target target;
  EXPECT_THAT(Schemas().keys("target.schema.json"),
              ContainerEq(as_set(dotted_keys(target_keys(target, policy)))));
}

TEST(ConfigSchema, DefaultsOfThePolicyAreTheOnesOfTheLoader) {
  std::map<std::string, std::string> effective;
  for (const Effective& value : effective_policy(Policy{})) effective[value.key] = value.value;
  const Schemas schemas;
  int compared = 0;
  schemas.each(
      "policy.schema.json", schemas.root("policy.schema.json"), "",
      [&](const std::string& path, const json& written, const json& resolved) {
        const json& holder = written.contains("default") ? written : resolved;
        if (!holder.contains("default")) return;
        const json& value = holder["default"];
        const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
        EXPECT_EQ(effective.at(path), text) << path;
        if (resolved.contains("pattern")) {
          EXPECT_TRUE(std::regex_match(text, std::regex(resolved["pattern"].get<std::string>())))
              << path;
        }
        ++compared;
      });
  EXPECT_GE(compared, 25);
}

/// Each value that a schema offers must be one that the loader takes, and its neighbours none.
TEST(ConfigSchema, WordsOfThePolicyAreTheOnesOfTheLoader) {
  const Schemas schemas;
  int tried = 0;
  schemas.each(
      "policy.schema.json", schemas.root("policy.schema.json"), "",
      [&](const std::string& path, const json&, const json& resolved) {
        if (!resolved.contains("enum")) return;
        const auto dot = path.find('.');
        const auto document = [&](const std::string& word) {
          return "version: 1\n" +
                 (dot == std::string::npos
                      ? path + ": " + word
                      : path.substr(0, dot) + ": {" + path.substr(dot + 1) + ": " + word + "}") +
                 "\n";
        };
        for (const json& word : resolved["enum"]) {
          EXPECT_TRUE(parse_policy(document(word.get<std::string>()), "f")) << path << word;
          ++tried;
        }
        EXPECT_FALSE(parse_policy(document("other"), "f")) << path;
      });
  EXPECT_GE(tried, 10);
}

}  // namespace
}  // namespace instar::engine
