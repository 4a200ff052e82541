#include "engine/init/draft.h"

namespace instar::engine {

namespace {

/// Double quotes, so that no character of a name or command means anything to YAML.
std::string yaml_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string list_of(const std::vector<std::string>& patterns, const std::string& indent) {
  std::string out;
  for (const std::string& pattern : patterns) out += indent + "- " + yaml_quoted(pattern) + "\n";
  return out;
}

constexpr std::string_view kPerTest =
    "    # A test may take ten times the slowest one of the base, at least 1 s of CPU. Many "
    "variants\n"
    "    # hang: a shorter deadline ends them sooner. `instar check --run` says what would do.\n"
    "    # per_test: 300ms\n";

constexpr std::string_view kHowToReport =
    "  # A variant that mends one of two faults is worth keeping, and only a report of each test\n"
    "  # shows it. TAP is a line for each test on standard output, and how many there are:\n"
    "  #   1..2\n"
    "  #   ok 1 - adds\n"
    "  #   not ok 2 - subtracts\n"
    "  # Then add to the stage above  > $INSTAR_OUT/tests.tap  and  report: {tap: tests.tap}  and\n"
    "  # minimize tests.failed below. JUnit XML works too: report: {junit: FILE}.\n";

std::string render_surface(const Draft& draft) {
  std::string out =
      "# What a variant may change, and nothing else: sources only, no tests, no build files, "
      "nothing\n"
      "# that a tool runs without being asked. Widen it with care.\n"
      "surface:\n  allow:\n" +
      list_of(draft.allow, "    ");
  if (draft.deny.empty()) return out;
  out += "  deny:\n";
  for (const Reasoned& rule : draft.deny) {
    out += "    - " + yaml_quoted(rule.text) + "  # " + rule.why + "\n";
  }
  return out;
}

std::string render_stages(const Draft& draft) {
  std::string out =
      "# Run in this order, each in a cell of its own, with `sh -c` in a copy of the tree; the "
      "first "
      "that\n# fails ends the evaluation. Reports go to $INSTAR_OUT, an empty directory. Each "
      "stage "
      "may have a\n# `timeout`; without one it is ten times the base's own CPU time.\n"
      "evaluate:\n";
  for (const DraftStage& stage : draft.stages) {
    out += "  # " + stage.why + ".\n  - name: " + stage.name +
           "\n    run: " + yaml_quoted(stage.run) + "\n";
    if (!stage.report.empty()) out += "    report: " + stage.report + "\n";
    if (stage.report == "{pytest: stream}") out += kPerTest;
  }
  if (draft.has_tests && !draft.reports_tests) out += kHowToReport;
  return out;
}

std::string render_objectives(const Draft& draft) {
  const char* metric = draft.reports_tests ? "tests.failed" : "stages.failed";
  std::string out =
      "# The first metric that differs decides; patches with fewer lines win a tie. For speed add\n"
      "#   - {metric: " +
      draft.stages.back().name + ".cpu_s, goal: minimize, noise: 0.02}\nobjectives:\n";
  return out + "  - {metric: " + metric + ", goal: minimize}\n";
}

}  // namespace

std::string render_target(const Draft& draft) {
  std::string out = "# What Instar may evolve here, and how a variant is judged.\n";
  out += "# Written by `instar init`; check it with `instar check`.\nversion: 1\nname: " +
         yaml_quoted(draft.name) + "\n\n";
  for (const std::string& missing : draft.missing) out += "# Not found: " + missing + ".\n";
  if (!draft.missing.empty()) out += "\n";
  out += render_surface(draft);
  if (!draft.sealed.empty()) {
    out +=
        "\n# Taken from the base commit and checked after use, so that a variant cannot change "
        "what "
        "judges it.\nsealed:\n" +
        list_of(draft.sealed, "  ");
  }
  if (!draft.env.empty()) {
    out += "\n# A cell inherits no variable; these are set literally.\nenv:\n";
    for (const auto& [name, value] : draft.env) {
      out += "  " + name + ": " + yaml_quoted(value.text) + "  # " + value.why + "\n";
    }
  }
  out += "\n" + render_stages(draft) + "\n" + render_objectives(draft);
  out +=
      "\n# The built-in generator: edits of the syntax tree, no model.\ngenerator: {kind: mutate}\n"
      "\n# The same seed gives the same variants, whatever --jobs is.\nsearch: {seed: 1}\n";
  return out;
}

}  // namespace instar::engine
