#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/config/target.h"
#include "tests/support/config_mistake.h"

namespace instar::engine {
namespace {

/// A key of either file: a file that is right but for the value that stands between the two texts.
struct Field {
  std::string before;
  std::string after;
  bool of_target = false;
};

const std::string kStage =
    "version: 1\nsurface: {allow: [src/**]}\n"
    "objectives: [{metric: stages.failed, goal: minimize}]\nevaluate: [{name: t, run: a, ";
const std::string kRest =
    "\nevaluate: [{name: t, run: a}]\nobjectives: [{metric: stages.failed, goal: minimize}]\n";

Field of_policy(const std::string& key, const std::string& after = "}") {
  return {"version: 1\n" + key, after + "\n"};
}
Field of_stage(const std::string& key) { return {kStage + key, "}]\n", true}; }
Field of_target(const std::string& key, const std::string& after = "}") {
  return {"version: 1\nsurface: {allow: [src/**]}\n" + key, after + kRest, true};
}

/// A value that no field of its kind takes, and what the message and the fix must name.
struct WrongValue {
  const char* text;
  const char* says;
  const char* fix;
};

Result<void> read(const Field& field, const std::string& value) {
  const std::string text = field.before + value + field.after;
  auto policy = parse_policy(field.of_target ? "version: 1\n" : text, "safety.yaml");
  if (!policy) return fail(policy.error());
  if (!field.of_target) return {};
  const auto target = parse_target(text, "instar.yaml", *policy);
  if (!target) return fail(target.error());
  return {};
}

/// Every value in every field is refused where it stands; a right one is taken.
void expect_all_refused(const std::vector<Field>& fields, const std::string& right,
                        const std::vector<WrongValue>& values) {
  for (const Field& field : fields) {
    SCOPED_TRACE(field.before);
    const auto taken = read(field, right);
    EXPECT_TRUE(taken) << taken.error().message;
    const auto line = std::count(field.before.begin(), field.before.end(), '\n') + 1;
    const auto column = field.before.size() - field.before.rfind('\n');
    const std::string place = std::to_string(line) + ":" + std::to_string(column);
    for (const WrongValue& value : values) {
      expect_refused(read(field, value.text), field.of_target ? "instar.yaml" : "safety.yaml",
                     {value.text, place.c_str(), value.says, value.fix});
    }
  }
}

TEST(ConfigFields, DurationsHaveAUnitAndARange) {
  expect_all_refused({of_policy("cell: {wall: "), of_policy("cell: {cpu: "),
                      of_policy("cell: {wall: 1s}\nrun: {wall: "), of_stage("timeout: ")},
                     "60s",
                     {{"60", "`60` is not a duration", "60s"},
                      {"-5s", "`-5s` is not a duration", "60s"},
                      {"soon", "`soon` is not a duration", "60s"},
                      {"0s", "`0s` is out of range", "from"},
                      {"99999h", "`99999h` is out of range", "h"},
                      {"\"60s\"", "`60s` is not", "without quotes"},
                      {"[60s]", "one value, not a list", "60s"},
                      {"{a: 60s}", "one value, not a map", "60s"}});
}

TEST(ConfigFields, CountsAreWholeNumbersInTheirRange) {
  expect_all_refused({of_policy("cell: {processes: "), of_policy("run: {variants: "),
                      of_policy("breakers: {stuck: "), of_stage("repeat: "),
                      of_target("search: {window: "), of_target("search: {plateau: ")},
                     "20",
                     {{"0", "`0` is out of range", "from 1 to"},
                      {"1.5", "`1.5` is not a whole number", "whole number"},
                      {"-1", "`-1` is not a whole number", "whole number"},
                      {"99999999999999999999", "is not a whole number", "whole number"},
                      {"'5'", "`5` is not a whole number", "without quotes"},
                      {"[5]", "one value, not a list", "whole number"}});
}

TEST(ConfigFields, PatternsAreWhatTheMatcherObeys) {
  expect_all_refused({of_policy("protected: [", "]"), of_target("sealed: [", "]"),
                      of_target("safety: {protected: [", "]}")},
                     "'src/**/*.c'",
                     {{"/etc/passwd", "is not a path below", "relative to the root"},
                      {"../up", "is not a path below", "`..`"},
                      {"'a//'", "is not a path below", "`//`"},
                      {"a/**b", "has `**` inside", "stands alone"},
                      {"'!a'", "begins with `!`", "surface.deny"},
                      {"'a\\b'", "which patterns do not know", "`/`"},
                      {"'a/[bc]'", "which patterns do not know", "several"},
                      {"''", "is empty", "write"},
                      {"\"e\\u0301\"", "is not in Unicode normal form C", "type the name anew"}});
}

}  // namespace
}  // namespace instar::engine
