#include "engine/config/policy_keys.h"

#include <algorithm>

#include "base/text.h"
#include "engine/config/fields.h"
#include "engine/config/units.h"

namespace instar::engine {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using namespace std::chrono_literals;

constexpr Range<milliseconds> kCellTime{10ms, 24h};
constexpr Range<std::uint64_t> kBytes{isolation::kMiB, 1ULL << 42};
constexpr std::size_t kMaxPatterns = 1000;

std::string not_yet(std::string_view what) {
  return "this build does not have " + std::string(what) + " yet";
}

Key version_key() {
  Key key = only("version", "1", "this build reads version 1");
  key.required = true;
  return key;
}

std::vector<Key> trust_keys(Trust& trust) {
  return {choice<Trust::Generator>("generator", trust.generator,
                                   {{"trusted", Trust::Generator::kTrusted},
                                    {"auto", Trust::Generator::kAuto},
                                    {"untrusted", Trust::Generator::kUntrusted}}),
          choice<Trust::Host>(
              "host", trust.host,
              {{"dedicated", Trust::Host::kDedicated}, {"shared", Trust::Host::kShared}}),
          choice<Trust::Target>(
              "target", trust.target,
              {{"inert", Trust::Target::kInert}, {"side-effects", Trust::Target::kSideEffects}}),
          choice<Trust::Secrets>(
              "secrets", trust.secrets,
              {{"none", Trust::Secrets::kNone}, {"high-value", Trust::Secrets::kHighValue}})};
}

std::string show_list(const std::vector<std::string>& values) {
  return "[" + join(values, ", ") + "]";
}

/// "64MiB/1000": bytes together, and how many files.
Key outputs_key(isolation::Limits& cell) {
  const auto show = [&cell] {
    return show_size(cell.outputs_bytes) + "/" + std::to_string(cell.outputs_files);
  };
  const auto read = [&cell, show](const Value& value) -> Result<void> {
    const auto parts = split(value.node().text, '/');
    const auto bytes = parts.size() == 2 ? parse_size(parts[0]) : std::nullopt;
    const auto files = parts.size() == 2 ? parse_count(parts[1]) : std::nullopt;
    if (value.node().kind != YamlNode::Kind::kScalar || !bytes || !files) {
      return value.refuse("is not a size and a number of files",
                          "write both with a slash: 64MiB/1000");
    }
    if (*bytes < isolation::kKiB || *bytes > kBytes.most || *files < 1 || *files > 1'000'000) {
      return value.refuse("`" + value.node().text + "` is out of range",
                          "use a value from 1KiB/1 to 4TiB/1000000");
    }
    if (value.context().mode == Mode::kTighten &&
        (*bytes > cell.outputs_bytes || *files > cell.outputs_files)) {
      return value.refuse_loosening(value.node().text, show());
    }
    cell.outputs_bytes = *bytes;
    cell.outputs_files = *files;
    return {};
  };
  return {.name = "outputs", .read = read, .show = show};
}

Key loopback_key() {
  const auto read = [](const Value& value) -> Result<void> {
    if (!INSTAR_TRY(read_flag(value))) return {};
    return value.refuse("`loopback: true` is reserved: " + not_yet("cells with a loopback network"),
                        "write false, or remove the key");
  };
  return {.name = "loopback", .read = read, .show = [] { return std::string("false"); }};
}

Key require_key(std::vector<std::string>& require) {
  const auto read = [&require](const Value& value) -> Result<void> {
    for (const Value& item : INSTAR_TRY(read_list(value, 8))) {
      INSTAR_CHECK(read_choice(item, {"tree_memory"}));
      if (std::find(require.begin(), require.end(), item.node().text) == require.end()) {
        require.push_back(item.node().text);
      }
    }
    return {};
  };
  return {.name = "require", .read = read, .show = [&require] { return show_list(require); }};
}

std::vector<Key> cell_keys(Policy& policy) {
  std::vector<Key> keys = limit_keys(policy.cell);
  std::vector<Key> rest{
      loopback_key(), require_key(policy.cell_require),
      reserved("network", "a cell has no network at any level"),
      reserved("mounts",
               "nothing of the host is mounted into a cell but what its level names, and nothing "
               "writable"),
      reserved("devices", "a cell has the minimal /dev")};
  std::move(rest.begin(), rest.end(), std::back_inserter(keys));
  return keys;
}

Key protected_key(std::vector<Sourced>& protect) {
  const auto read = [&protect](const Value& value) -> Result<void> {
    for (const Value& item : INSTAR_TRY(read_list(value, kMaxPatterns))) {
      protect.push_back({INSTAR_TRY(read_pattern(item)), item.source()});
    }
    return {};
  };
  return {.name = "protected", .read = read, .show = [&protect] {
            std::vector<std::string> patterns;
            for (const Sourced& rule : protect) patterns.push_back(rule.value);
            return show_list(patterns);
          }};
}

Key inputs_key() {
  const auto read = [](const Value& value) -> Result<void> {
    const auto items = INSTAR_TRY(read_list(value, kMaxPatterns));
    if (items.empty()) return {};
    return items.front().refuse(not_yet("inputs (host paths shown to a cell)"),
                                "leave the list empty: `inputs: []`");
  };
  return {.name = "inputs", .read = read, .show = [] { return std::string("[]"); }};
}

std::vector<Key> run_keys(RunCaps& run) {
  return {count_limit("variants", run.variants, {1, 1'000'000'000}),
          seconds_limit("wall", run.wall, {1s, 24h * 365}),
          reserved("tokens", not_yet("generators that ask a model")),
          reserved("usd", not_yet("generators that cost money"))};
}

std::vector<Key> breaker_keys(BreakerLimits& breakers) {
  constexpr Range<std::uint64_t> kTimes{1, 1'000'000};
  return {count_limit("stuck", breakers.stuck, kTimes),
          count_limit("violations", breakers.violations, kTimes),
          count_limit("infra", breakers.infra, kTimes),
          reserved("rollback_cascade", not_yet("rollbacks of its own"))};
}

std::vector<Key> approval_keys() {
  return {only("promote", "required", "nothing leaves a run without a human's approval"),
          only("restore", "required", "nothing leaves the quarantine without a human's approval"),
          reserved("ttl", not_yet("approvals"))};
}

std::vector<Key> container_keys() {
  return {only("runtime", "auto", not_yet("container cells, so no runtime can be chosen")),
          only("rootfs", "host-usr",
               not_yet("container cells, so no root file system can be "
                       "chosen"))};
}

Key map_key(std::string name, std::vector<Key> keys) {
  return {.name = std::move(name), .keys = std::move(keys)};
}

}  // namespace

std::vector<Key> limit_keys(isolation::Limits& limits) {
  return {duration_limit("wall", limits.wall, kCellTime),
          duration_limit("cpu", limits.cpu, kCellTime),
          size_limit("memory", limits.memory_bytes, kBytes),
          count_limit("processes", limits.processes, {1, 1 << 22}),
          count_limit("open_files", limits.open_files, {16, 1 << 20}),
          size_limit("file_size", limits.file_size_bytes, {isolation::kKiB, kBytes.most}),
          size_limit("workspace", limits.workspace_bytes, kBytes),
          count_limit("inodes", limits.inodes, {16, 1'000'000'000}),
          size_limit("output", limits.output_bytes, {isolation::kKiB, isolation::kGiB}),
          outputs_key(limits)};
}

std::vector<Key> policy_keys(Policy& policy, PolicyFile file) {
  std::vector<Key> keys;
  if (file == PolicyFile::kOperator) keys.push_back(version_key());
  std::vector<Key> rest{
      map_key("trust", trust_keys(policy.trust)),
      choice<isolation::Level>("level", policy.floor,
                               {{"guarded", isolation::Level::kGuarded},
                                {"namespace", isolation::Level::kNamespace},
                                {"container", isolation::Level::kContainer}}),
      protected_key(policy.protect),
      map_key("cell", cell_keys(policy)),
      inputs_key(),
      map_key("container", container_keys()),
      map_key("run", run_keys(policy.run)),
      map_key("breakers", breaker_keys(policy.breakers)),
      map_key("approval", approval_keys()),
      reserved("regression", not_yet("rollbacks of its own")),
      reserved("network", "a cell has no network at any level"),
      reserved("mounts", "nothing of the host is writable from a cell"),
      reserved("models", not_yet("generators that ask a model")),
      reserved("generators", not_yet("generators other than the built-in `mutate`"))};
  std::move(rest.begin(), rest.end(), std::back_inserter(keys));
  return keys;
}

}  // namespace instar::engine
