#include "engine/config/target_keys.h"

#include <algorithm>

#include "base/text.h"
#include "engine/config/fields.h"
#include "engine/config/metric_names.h"
#include "engine/config/policy_keys.h"
#include "engine/config/units.h"
#include "isolation/cell_environment.h"

namespace instar::engine {

namespace {

constexpr std::size_t kMaxPatterns = 1000;
constexpr std::size_t kMaxStages = 64;
constexpr std::size_t kMaxObjectives = 16;
/// A stage adds some of its own (pytest's options).
constexpr std::size_t kMostEnvironment = isolation::kLargestEnvironment - 4 * 1024;

Key version_key() {
  Key key = only("version", "1", "this build reads version 1");
  key.required = true;
  return key;
}

Key name_key(std::string& name) {
  const auto read = [&name](const Value& value) -> Result<void> {
    std::string text = INSTAR_TRY(read_text(value));
    if (text.size() > 64) return value.refuse("is longer than 64 bytes", "shorten it");
    name = std::move(text);
    return {};
  };
  return {.name = "name", .read = read, .show = [&name] { return name; }};
}

Key patterns_key(std::string name, std::vector<Sourced>& into, bool may_be_empty) {
  const auto read = [&into, may_be_empty](const Value& value) -> Result<void> {
    const auto items = INSTAR_TRY(read_list(value, kMaxPatterns));
    if (items.empty() && !may_be_empty) {
      return value.refuse("is empty, so no variant could change anything",
                          "list the source files to evolve: [\"src/**\"]");
    }
    for (const Value& item : items) {
      into.push_back({INSTAR_TRY(read_pattern(item)), item.source()});
    }
    return {};
  };
  return {.name = std::move(name), .read = read, .show = [&into] {
            std::vector<std::string> patterns;
            for (const Sourced& rule : into) patterns.push_back(rule.value);
            return "[" + join(patterns, ", ") + "]";
          }};
}

Key surface_key(Target& target) {
  Key key{.name = "surface", .required = true};
  key.keys = {patterns_key("allow", target.allow, false), patterns_key("deny", target.deny, true)};
  key.keys.front().required = true;
  return key;
}

/// The cell gives these their values: another one would break what a cell promises.
bool belongs_to_cell(std::string_view name) { return name == "HOME" || name == "TMPDIR"; }

Key env_key(Target& target) {
  const auto read = [&target](const Value& value) -> Result<void> {
    const std::string name = value.path().substr(std::string_view("env.").size());
    if (belongs_to_cell(name)) {
      return value.refuse("is set by the cell", "remove it; other names are free");
    }
    if (value.node().kind != YamlNode::Kind::kScalar) {
      return value.refuse("needs a literal text", "write a text; '' for an empty one");
    }
    const std::string& text = value.node().text;
    if (auto taken = isolation::check_variable({.name = name, .value = text}); !taken) {
      return value.refuse(taken.error().message, taken.error().hint);
    }
    std::size_t bytes = name.size() + text.size();
    for (const auto& [other, content] : target.env) bytes += other.size() + content.size();
    if (bytes > kMostEnvironment) {
      return value.refuse("makes the variables longer than 60 KiB together",
                          "put the data into a file of the target");
    }
    target.env.emplace_back(name, text);
    return {};
  };
  Key key{.name = "env", .show = [&target] {
            std::vector<std::string> parts;
            for (const auto& [name, text] : target.env) parts.push_back(name + "=" + text);
            return "[" + join(parts, ", ") + "]";
          }};
  key.keys = {{.name = "*", .read = read}};
  return key;
}

Key prepare_key(Target& target) {
  const auto read = [&target](const Value& value) -> Result<void> {
    for (const Value& item : INSTAR_TRY(read_list(value, kMaxStages))) {
      target.prepare.push_back(INSTAR_TRY(read_text(item, Lines::kMany)));
    }
    return {};
  };
  return {.name = "prepare", .read = read, .show = [&target] {
            return "[" + join(target.prepare, ", ") + "]";
          }};
}

Key evaluate_key(Target& target) {
  const auto read = [&target](const Value& value) -> Result<void> {
    const auto items = INSTAR_TRY(read_list(value, kMaxStages));
    if (items.empty()) {
      return value.refuse("has no stage, so nothing would be judged",
                          "add a stage: - {name: test, run: \"make test\"}");
    }
    for (const Value& item : items) {
      Stage stage;
      stage.source = item.source();
      INSTAR_CHECK(read_map(item, stage_keys(stage)));
      target.evaluate.push_back(std::move(stage));
    }
    return {};
  };
  Stage named;
  Key key{.name = "evaluate", .read = read, .required = true};
  key.item_keys = stage_keys(named);
  return key;
}

/// `until` may be negative: a metric of a stage can be anything.
Result<double> read_until(const Value& value) {
  std::string_view text = value.node().text;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const auto number = value.node().kind == YamlNode::Kind::kScalar && !value.node().quoted
                          ? parse_number(text)
                          : std::nullopt;
  if (!number) return value.refuse("is not a number", "write a number such as 0 or 1.5");
  return negative ? -*number : *number;
}

std::vector<Key> objective_keys(Objective& objective) {
  const auto metric = [&objective](const Value& value) -> Result<void> {
    objective.metric = INSTAR_TRY(read_text(value));
    return {};
  };
  const auto noise = [&objective](const Value& value) -> Result<void> {
    objective.noise = INSTAR_TRY(read_relative(value, {0.0001, 10}));
    return {};
  };
  const auto until = [&objective](const Value& value) -> Result<void> {
    objective.until = INSTAR_TRY(read_until(value));
    return {};
  };
  Key goal = choice<Objective::Goal>(
      "goal", objective.goal,
      {{"minimize", Objective::Goal::kMinimize}, {"maximize", Objective::Goal::kMaximize}});
  goal.required = true;
  return {{.name = "metric", .read = metric, .required = true},
          std::move(goal),
          {.name = "noise", .read = noise},
          {.name = "until", .read = until}};
}

Key objectives_key(Target& target) {
  const auto read = [&target](const Value& value) -> Result<void> {
    const auto items = INSTAR_TRY(read_list(value, kMaxObjectives));
    if (items.empty()) {
      return value.refuse("is empty, so no variant could be better than another",
                          "write [{metric: tests.failed, goal: minimize}]");
    }
    for (const Value& item : items) {
      Objective objective;
      INSTAR_CHECK(read_map(item, objective_keys(objective)));
      const bool counts_failures =
          objective.goal == Objective::Goal::kMinimize && objective.metric.ends_with(".failed");
      if (!objective.until && counts_failures) objective.until = 0;
      (*item.context().sources)[item.path()] = item.source();
      target.objectives.push_back(std::move(objective));
    }
    return {};
  };
  Objective named;
  Key key{.name = "objectives", .read = read, .required = true};
  key.item_keys = objective_keys(named);
  return key;
}

/// A cloned target must not be able to send the operator's key anywhere or start a program of its
/// choice outside of a cell.
Key operators_only(std::string name) {
  return reserved(std::move(name),
                  "model endpoints, key names and generator programs live in the operator's "
                  "configuration only, never in a target's file");
}

Key generator_key(GeneratorConfig& generator) {
  const auto read = [&generator](const Value& value) -> Result<void> {
    INSTAR_CHECK(read_choice(value, {"mutate"}));
    generator.kind = value.node().text;
    return {};
  };
  Key kind{.name = "kind", .read = read, .show = [&generator] { return generator.kind; }};
  Key key{.name = "generator"};
  key.keys = {std::move(kind)};
  for (const char* name : {"endpoint", "url", "base_url", "host", "key", "api_key", "key_env",
                           "token", "headers", "command", "program", "argv", "model", "models"}) {
    key.keys.push_back(operators_only(name));
  }
  return key;
}

Key search_key(SearchConfig& search) {
  const auto window = [&search](const Value& value) -> Result<void> {
    search.window = static_cast<unsigned>(INSTAR_TRY(read_count(value, {1, 1024})));
    return {};
  };
  const auto seed = [&search](const Value& value) -> Result<void> {
    search.seed = INSTAR_TRY(read_count(value, {0, UINT64_MAX}));
    return {};
  };
  const auto plateau = [&search](const Value& value) -> Result<void> {
    search.plateau = INSTAR_TRY(read_count(value, {1, 1'000'000'000}));
    return {};
  };
  Key key{.name = "search"};
  key.keys = {
      {.name = "window",
       .read = window,
       .show = [&search] { return std::to_string(search.window); }},
      {.name = "seed", .read = seed, .show = [&search] { return std::to_string(search.seed); }},
      {.name = "plateau", .read = plateau, .show = [&search] {
         return search.plateau ? std::to_string(*search.plateau) : std::string("none");
       }}};
  return key;
}

/// The target's part of the policy: the operator's table, where values may only become stricter.
Key safety_key(Policy& policy) {
  const auto read = [&policy](const Value& value) -> Result<void> {
    const ReadContext context{.name = value.context().name,
                              .mode = Mode::kTighten,
                              .shown_prefix = "safety.",
                              .sources = &policy.sources};
    const Value part(value.node(), context, "");
    INSTAR_CHECK(read_map(part, policy_keys(policy, PolicyFile::kTargetPart)));
    return check_combinations(policy, part);
  };
  Key key{.name = "safety", .read = read};
  key.keys = policy_keys(policy, PolicyFile::kTargetPart);
  return key;
}

}  // namespace

std::vector<Key> target_keys(Target& target, Policy& policy) {
  return {version_key(),
          name_key(target.name),
          surface_key(target),
          patterns_key("sealed", target.sealed, true),
          env_key(target),
          prepare_key(target),
          evaluate_key(target),
          objectives_key(target),
          choice<FlakyRule>("flaky", target.flaky,
                            {{"exclude", FlakyRule::kExclude}, {"refuse", FlakyRule::kRefuse}}),
          generator_key(target.generator),
          search_key(target.search),
          safety_key(policy),
          reserved("hidden", "this build does not have hidden files yet, which only judges see"),
          reserved("holdout", "this build does not have holdout stages yet"),
          reserved("canary", "this build does not have canary tests yet"),
          reserved("inputs", "this build does not have inputs (host paths shown to a cell) yet"),
          operators_only("models"),
          operators_only("endpoint"),
          operators_only("api_key")};
}

}  // namespace instar::engine
