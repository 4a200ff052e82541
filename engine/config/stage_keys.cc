#include <algorithm>

#include "base/text.h"
#include "engine/config/fields.h"
#include "engine/config/metric_names.h"
#include "engine/config/target_keys.h"

namespace instar::engine {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxOutputs = 100;
constexpr std::string_view kReportForms =
    "{junit: FILE}, {tap: FILE}, {metrics: FILE} or {pytest: stream}";

Key name_key(Stage& stage) {
  const auto read = [&stage](const Value& value) -> Result<void> {
    std::string name = INSTAR_TRY(read_text(value));
    if (!is_stage_name(name)) {
      return value.refuse(ticked(name) + " is no stage name",
                          "use lower-case letters, digits, `_` and `-`, 64 at most");
    }
    if (is_reserved_stage(name)) {
      return value.refuse(ticked(name) + " is the name of measured metrics, not of a stage",
                          "choose another name, for example " + name.substr(0, 4) + "-run");
    }
    stage.name = std::move(name);
    return {};
  };
  return {.name = "name", .read = read, .required = true};
}

Key command_key(std::string name, std::string& into, bool required) {
  const auto read = [&into](const Value& value) -> Result<void> {
    into = INSTAR_TRY(read_text(value, Lines::kMany));
    return {};
  };
  return {.name = std::move(name), .read = read, .required = required};
}

Key optional_duration(std::string name, std::optional<std::chrono::milliseconds>& into) {
  const auto read = [&into](const Value& value) -> Result<void> {
    into = INSTAR_TRY(read_duration(value, {10ms, 24h}));
    return {};
  };
  return {.name = std::move(name), .read = read};
}

/// A file below $INSTAR_OUT.
Result<std::string> read_output(const Value& value) {
  const std::string text = INSTAR_TRY(read_text(value));
  if (text.starts_with("$")) {
    return value.refuse(ticked(text) + " must be relative to $INSTAR_OUT",
                        "write only the part after `$INSTAR_OUT/`");
  }
  if (text.find_first_of("*?") != std::string::npos || text.ends_with('/')) {
    return value.refuse(ticked(text) + " is a pattern", "name each file");
  }
  return read_pattern(value);
}

Key report_form(std::string name, ReportKind kind, Stage& stage) {
  const auto read = [kind, &stage](const Value& value) -> Result<void> {
    stage.report = kind;
    if (kind == ReportKind::kPytest) {
      INSTAR_CHECK(read_choice(value, {"stream"}));
      return {};
    }
    stage.report_file = INSTAR_TRY(read_output(value));
    // What a command prints is mixed with what the variant prints, and it is cut when it is long.
    if (stage.report_file == "stdout") {
      return value.refuse("a report is a file: what a command prints is text, never a verdict",
                          "write `> $INSTAR_OUT/tests.tap` behind the command, and tests.tap here");
    }
    return {};
  };
  return {.name = std::move(name), .read = read};
}

Key report_key(Stage& stage) {
  const std::vector<Key> forms{report_form("junit", ReportKind::kJunit, stage),
                               report_form("tap", ReportKind::kTap, stage),
                               report_form("metrics", ReportKind::kMetrics, stage),
                               report_form("pytest", ReportKind::kPytest, stage)};
  const auto read = [forms](const Value& value) -> Result<void> {
    if (value.node().kind != YamlNode::Kind::kMap) {
      return value.refuse(
          "needs the form of the report",
          "write " + std::string(kReportForms) + "; without `report` the exit code alone counts");
    }
    if (value.node().keys.size() != 1) {
      return value.refuse("needs exactly one form of report", "write " + std::string(kReportForms));
    }
    return read_map(value, forms);
  };
  Key key{.name = "report", .read = read};
  key.keys = forms;
  return key;
}

Key repeat_key(Stage& stage) {
  const auto read = [&stage](const Value& value) -> Result<void> {
    stage.repeat = static_cast<unsigned>(INSTAR_TRY(read_count(value, {1, 100})));
    return {};
  };
  return {.name = "repeat", .read = read};
}

Key outputs_key(Stage& stage) {
  const auto read = [&stage](const Value& value) -> Result<void> {
    for (const Value& item : INSTAR_TRY(read_list(value, kMaxOutputs))) {
      stage.outputs.push_back(INSTAR_TRY(read_output(item)));
    }
    return {};
  };
  return {.name = "outputs", .read = read};
}

}  // namespace

std::vector<Key> stage_keys(Stage& stage) {
  const std::string no_judges =
      "this build does not have judge stages yet, where hidden files are seen by another cell";
  return {name_key(stage),
          reserved("judge", no_judges),
          reserved("inputs", no_judges),
          reserved("canary", "this build does not have canary tests yet"),
          command_key("run", stage.command, true),
          optional_duration("timeout", stage.timeout),
          report_key(stage),
          optional_duration("per_test", stage.per_test),
          repeat_key(stage),
          command_key("list", stage.list, false),
          outputs_key(stage)};
}

}  // namespace instar::engine
