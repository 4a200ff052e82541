#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "engine/config/policy.h"
#include "tests/support/config_mistake.h"

namespace instar::engine {
namespace {

using isolation::Level;
using testing::HasSubstr;
using testing::Not;

Result<Policy> parse(const std::string& body) { return parse_policy(body, "safety.yaml"); }

TEST(ConfigPolicy, ShippedFileSaysExactlyTheDefaults) {
  const auto written = parse(std::string(default_policy_text()));
  ASSERT_TRUE(written) << written.error().message;
  const auto implied = parse("version: 1\n");
  ASSERT_TRUE(implied) << implied.error().message;

  const auto shipped = effective_policy(*written);
  const auto built_in = effective_policy(*implied);
  ASSERT_EQ(shipped.size(), built_in.size());
  ASSERT_GT(shipped.size(), 25U);
  for (std::size_t i = 0; i < shipped.size(); ++i) {
    EXPECT_EQ(shipped[i].key, built_in[i].key);
    EXPECT_EQ(shipped[i].value, built_in[i].value) << shipped[i].key;
    EXPECT_THAT(shipped[i].source, HasSubstr("safety.yaml:")) << shipped[i].key << " is not shown";
  }
}

TEST(ConfigPolicy, ShippedFileHasTheValuesThatTheStructsDocument) {
  const auto policy = parse(std::string(default_policy_text()));
  ASSERT_TRUE(policy);
  const isolation::Limits documented;
  EXPECT_EQ(policy->cell.wall, documented.wall);
  EXPECT_EQ(policy->cell.memory_bytes, documented.memory_bytes);
  EXPECT_EQ(policy->cell.outputs_bytes, documented.outputs_bytes);
  EXPECT_EQ(policy->cell.outputs_files, documented.outputs_files);
  EXPECT_EQ(policy->floor, Level::kGuarded);
  EXPECT_EQ(policy->run.wall, std::chrono::hours(8));
}

TEST(ConfigPolicy, KeepsTheExactTextAndItsDigest) {
  const std::string text = "version: 1 # mine\ncell: {wall: 30s}\n";
  const auto policy = parse(text);
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->text, text);
  EXPECT_EQ(policy->digest, sha256(text));
  EXPECT_EQ(policy->sources.at("cell.wall"), "safety.yaml:2");
  EXPECT_EQ(policy->sources.count("cell.cpu"), 0U);
}

TEST(ConfigPolicy, ReadsEveryKeyThatIsWritten) {
  const auto policy = parse(R"(version: 1
trust: {generator: trusted, host: shared, target: side-effects, secrets: high-value}
level: namespace
protected: ["deploy/**", "*.sql"]
cell: {wall: 1.5s, cpu: 250ms, memory: 1.5GiB, processes: 8, open_files: 32, file_size: 4MiB,
       workspace: 64MiB, inodes: 500, output: 64KiB, outputs: 2MiB/7, loopback: false,
       require: [tree_memory]}
run: {variants: 5, wall: 5m}
breakers: {stuck: 1, violations: 2, infra: 3}
approval: {promote: required, restore: required}
)");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->trust.generator, Trust::Generator::kTrusted);
  EXPECT_EQ(policy->trust.host, Trust::Host::kShared);
  EXPECT_EQ(policy->trust.target, Trust::Target::kSideEffects);
  EXPECT_EQ(policy->trust.secrets, Trust::Secrets::kHighValue);
  EXPECT_EQ(policy->floor, Level::kNamespace);
  ASSERT_EQ(policy->protect.size(), 2U);
  EXPECT_EQ(policy->protect[1].value, "*.sql");
  EXPECT_EQ(policy->protect[1].source, "safety.yaml:4");
  EXPECT_EQ(policy->cell.wall.count(), 1500);
  EXPECT_EQ(policy->cell.cpu.count(), 250);
  EXPECT_EQ(policy->cell.memory_bytes, 3 * isolation::kGiB / 2);
  EXPECT_EQ(policy->cell.processes, 8U);
  EXPECT_EQ(policy->cell.open_files, 32U);
  EXPECT_EQ(policy->cell.file_size_bytes, 4 * isolation::kMiB);
  EXPECT_EQ(policy->cell.workspace_bytes, 64 * isolation::kMiB);
  EXPECT_EQ(policy->cell.inodes, 500U);
  EXPECT_EQ(policy->cell.output_bytes, 64 * isolation::kKiB);
  EXPECT_EQ(policy->cell.outputs_bytes, 2 * isolation::kMiB);
  EXPECT_EQ(policy->cell.outputs_files, 7U);
  EXPECT_EQ(policy->cell_require, std::vector<std::string>{"tree_memory"});
  EXPECT_EQ(policy->run.variants, 5U);
  EXPECT_EQ(policy->run.wall, std::chrono::minutes(5));
  EXPECT_EQ(policy->breakers.stuck, 1U);
  EXPECT_EQ(policy->breakers.violations, 2U);
  EXPECT_EQ(policy->breakers.infra, 3U);
}

class ConfigPolicyMistake : public testing::TestWithParam<ConfigMistake> {};

TEST_P(ConfigPolicyMistake, IsRefusedAtItsPlaceWithTheFix) {
  expect_refused(parse(GetParam().body), "safety.yaml", GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Each, ConfigPolicyMistake,
    testing::Values(
        ConfigMistake{"", "1:1", "empty", "version: 1"},
        ConfigMistake{"level: guarded\n", "1:1", "`version` is missing", "add `version"},
        ConfigMistake{"version: 2\n", "1:10", "version: `2`", "write 1"},
        ConfigMistake{"- version\n", "1:1", "map of keys, not a list", "version"},
        ConfigMistake{"version: 1\ncell:\n  memroy: 1GiB\n", "3:3",
                      "cell.memroy: there is no such key", "did you mean `memory`"},
        ConfigMistake{"version: 1\nlevl: guarded\n", "2:1", "levl", "did you mean `level`"},
        ConfigMistake{"version: 1\nlevel: guarded\nlevel: namespace\n", "3:1",
                      "duplicate key `level`", "keep one"},
        ConfigMistake{"version: 1\ncell: {wall: 60s, wall: 70s}\n", "2:19", "duplicate key `wall`",
                      "keep one"},
        ConfigMistake{"version: 1\nlevel: paranoid\n", "2:8", "level: `paranoid`",
                      "guarded, namespace"},
        ConfigMistake{"version: 1\nlevel: namspace\n", "2:8", "level", "did you mean `namespace`"},
        ConfigMistake{"version: 1\ntrust: {host: yes}\n", "2:15", "trust.host",
                      "dedicated, shared"},
        ConfigMistake{"version: 1\ntrust: dedicated\n", "2:8", "map of keys", "generator, host"},
        ConfigMistake{"version: 1\ncell:\n  wall:\n", "3:3", "cell.wall: has no value", "60s"},
        ConfigMistake{"version: 1\ncell: {memory: 2GB}\n", "2:16", "cell.memory: `2GB`", "2GiB"},
        ConfigMistake{"version: 1\ncell: {memory: 0GiB}\n", "2:16", "out of range", "1MiB"},
        ConfigMistake{"version: 1\ncell: {memory: 99999999TiB}\n", "2:16", "cell.memory", "2GiB"},
        ConfigMistake{"version: 1\ncell: {outputs: 64MiB}\n", "2:17", "cell.outputs", "64MiB/1000"},
        ConfigMistake{"version: 1\ncell: {outputs: 64MiB/0}\n", "2:17", "cell.outputs",
                      "from 1KiB/1"},
        ConfigMistake{"version: 1\ncell: {loopback: true}\n", "2:18",
                      "`loopback: true` is reserved", "false"},
        ConfigMistake{"version: 1\ncell: {loopback: off}\n", "2:18", "cell.loopback",
                      "true or false"},
        ConfigMistake{"version: 1\ncell: {require: [gpu]}\n", "2:18", "cell.require[0]",
                      "tree_memory"},
        ConfigMistake{"version: 1\nnetwork: bridged\n", "2:1", "`network: bridged` is reserved",
                      "remove `network`"},
        ConfigMistake{"version: 1\nmounts: writable\n", "2:1", "`mounts: writable` is reserved",
                      "remove `mounts`"},
        ConfigMistake{"version: 1\ncell:\n  network: bridged\n", "3:3",
                      "`network: bridged` is reserved", "remove `network`"},
        ConfigMistake{"version: 1\nmodels: {}\n", "2:1", "does not have", "remove `models`"},
        ConfigMistake{"version: 1\ninputs: [/opt/venv]\n", "2:10", "does not have inputs",
                      "inputs: []"},
        ConfigMistake{"version: 1\ncontainer: {runtime: runc}\n", "2:22",
                      "container.runtime: `runc`", "write auto"},
        ConfigMistake{"version: 1\ncontainer: {rootfs: /srv/root}\n", "2:21", "container.rootfs",
                      "write host-usr"},
        ConfigMistake{"version: 1\nprotected: deploy/**\n", "2:12", "protected: needs a list",
                      "[a, b]"},
        ConfigMistake{"version: 1\nrun: {wall: 1.5s}\n", "2:13", "run.wall", "whole seconds"},
        ConfigMistake{"version: 1\nrun: {wall: 30s}\n", "2:13",
                      "run.wall: a run of 30s cannot hold", "raise run.wall"},
        ConfigMistake{"version: 1\ncell: {wall: 9h}\n", "2:14", "cannot hold", "lower cell.wall"},
        ConfigMistake{"version: 1\nrun: {tokens: 5}\n", "2:7", "reserved: this build does not",
                      "remove `tokens`"},
        ConfigMistake{"version: 1\nrun: {usd: 0}\n", "2:7", "reserved: this build does not",
                      "remove `usd`"},
        ConfigMistake{"version: 1\nbreakers: {rollback_cascade: 3}\n", "2:12",
                      "reserved: this build does not", "remove `rollback_cascade`"},
        ConfigMistake{"version: 1\nregression: {cpu_s: 50%}\n", "2:1",
                      "reserved: this build does not", "remove `regression`"},
        ConfigMistake{"version: 1\napproval: {promote: none}\n", "2:21", "approval.promote: `none`",
                      "required"},
        ConfigMistake{"version: 1\napproval: {ttl: 1h}\n", "2:12", "reserved: this build does not",
                      "remove `ttl`"}));

TEST(ConfigPolicy, TriggersRaiseTheRequiredLevelAndAreNamed) {
  const auto plain = parse("version: 1\n");
  ASSERT_TRUE(plain);
  EXPECT_EQ(required_level(*plain, false, std::nullopt).level, Level::kGuarded);

  const auto external = required_level(*plain, true, std::nullopt);
  EXPECT_EQ(external.level, Level::kContainer);
  EXPECT_THAT(external.reasons.back(), HasSubstr("trust.generator: auto (built-in)"));

  const auto shared = parse("version: 1\ntrust:\n  host: shared\n");
  ASSERT_TRUE(shared);
  const auto required = required_level(*shared, false, std::nullopt);
  EXPECT_EQ(required.level, Level::kContainer);
  EXPECT_EQ(required.reasons.back(), "trust.host: shared (safety.yaml:3)");

  for (const char* line : {"target: side-effects", "secrets: high-value", "generator: untrusted"}) {
    const auto policy = parse("version: 1\ntrust: {" + std::string(line) + "}\n");
    ASSERT_TRUE(policy);
    EXPECT_EQ(required_level(*policy, false, std::nullopt).level, Level::kContainer) << line;
  }
  const auto vouched = parse("version: 1\ntrust: {generator: trusted}\n");
  ASSERT_TRUE(vouched);
  EXPECT_EQ(required_level(*vouched, true, std::nullopt).level, Level::kGuarded);
}

TEST(ConfigPolicy, LevelThatTheHostLacksIsRefusedByWhatRequiresIt) {
  const auto policy = parse("version: 1\ntrust:\n  host: shared\n");
  ASSERT_TRUE(policy);
  const auto refused = require(required_level(*policy, false, std::nullopt));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kHostCannot);
  EXPECT_THAT(refused.error().message, HasSubstr("required by"));
  EXPECT_THAT(refused.error().message, HasSubstr("trust.host: shared (safety.yaml:3)"));
}

TEST(ConfigPolicy, RequestedLevelOnlyRaises) {
  const auto policy = parse("version: 1\nlevel: namespace\n");
  ASSERT_TRUE(policy);
  EXPECT_EQ(required_level(*policy, false, Level::kGuarded).level, Level::kNamespace);
  const auto raised = required_level(*policy, false, Level::kContainer);
  EXPECT_EQ(raised.level, Level::kContainer);
  EXPECT_THAT(raised.reasons.back(), HasSubstr("--level container"));
}

TEST(ConfigPolicy, ALevelThatOnlyTheOptionAsksForIsMendedByLeavingItOut) {
  const auto plain = parse("version: 1\nlevel: guarded\n");
  ASSERT_TRUE(plain);
  const auto refused = require(required_level(*plain, false, Level::kContainer));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("required by requested: --level container"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("level: guarded")));
  EXPECT_THAT(refused.error().hint, HasSubstr("leave --level out"));

  const auto shared = parse("version: 1\ntrust: {host: shared}\n");
  ASSERT_TRUE(shared);
  const auto both = require(required_level(*shared, false, Level::kContainer));
  ASSERT_FALSE(both);
  EXPECT_THAT(both.error().hint, HasSubstr("safety.yaml"));
}

TEST(ConfigPolicy, TreeMemoryNeedsMoreThanAGuardedCell) {
  const auto policy = parse("version: 1\ncell: {require: [tree_memory]}\n");
  ASSERT_TRUE(policy);
  EXPECT_EQ(required_level(*policy, false, std::nullopt).level, Level::kNamespace);
}

TEST(ConfigPolicy, NamedPolicyThatCannotBeReadIsNeverReplacedByTheDefault) {
  auto directory = TempDir::create("instar-policy");
  ASSERT_TRUE(directory);
  const auto path = directory->path() / "mine.yaml";
  const auto missing = load_policy(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);

  ASSERT_EQ(::setenv("INSTAR_POLICY", path.c_str(), 1), 0);
  EXPECT_FALSE(load_policy(std::nullopt));
  ASSERT_TRUE(write_file_atomic(path, "version: 1\nrun: {variants: 7}\n"));
  const auto from_variable = load_policy(std::nullopt);
  const auto from_flag = load_policy(path);
  ::unsetenv("INSTAR_POLICY");
  ASSERT_TRUE(from_variable);
  ASSERT_TRUE(from_flag);
  EXPECT_EQ(from_variable->run.variants, 7U);
  EXPECT_EQ(from_flag->origin, path.string());
}

}  // namespace
}  // namespace instar::engine
