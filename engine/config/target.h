#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/config/policy.h"

namespace instar::engine {

enum class ReportKind { kExitCode, kJunit, kTap, kMetrics, kPytest };

/// One step of the cascade that evaluates a variant.
struct Stage {
  std::string name;
  std::string command;  ///< run with `sh -c` in the workspace
  std::optional<std::chrono::milliseconds> timeout;
  ReportKind report = ReportKind::kExitCode;
  std::string report_file;  ///< below $INSTAR_OUT; empty for exit code and for `pytest: stream`
  std::optional<std::chrono::milliseconds> per_test;
  unsigned repeat = 1;
  std::string list;                  ///< a command that prints the test ids, or empty
  std::vector<std::string> outputs;  ///< declared files below $INSTAR_OUT that leave
  std::string source;                ///< "instar.yaml:9"
};

/// Whether its report tells tests one by one (JUnit, TAP, pytest).
bool reports_tests(const Stage& stage);

struct Objective {
  enum class Goal { kMinimize, kMaximize } goal = Goal::kMinimize;
  std::string metric;
  /// Relative; with it the metric is compared statistically. Without one in the file, 0 for what a
  /// repeated stage reports.
  std::optional<double> noise;
  std::optional<double> until;  ///< the run may end when it is reached; 0 for `*.failed`
};

enum class FlakyRule { kRefuse, kExclude };

struct GeneratorConfig {
  std::string kind = "mutate";
};

struct SearchConfig {
  unsigned window = 16;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> plateau;  ///< evaluations without improvement that end the run
};

/// The target's instar.yaml.
struct Target {
  std::string name;
  std::vector<Sourced> allow;
  std::vector<Sourced> deny;
  std::vector<Sourced> sealed;
  std::vector<std::pair<std::string, std::string>> env;  ///< literal, for every stage
  std::vector<std::string> prepare;
  std::vector<Stage> evaluate;
  std::vector<Objective> objectives;
  FlakyRule flaky = FlakyRule::kExclude;
  GeneratorConfig generator;
  SearchConfig search;

  std::string text;  ///< the exact bytes, pinned into the run
  Digest digest;
  std::string origin;  ///< path
  /// Dotted key -> "instar.yaml:12", for keys that were written.
  std::map<std::string, std::string> sources;
};

/// Every key with the value that holds and where it was written; one row for each stage and
/// objective.
std::vector<Effective> effective_target(const Target& target);

/// Reads DIR/instar.yaml and tightens `policy` by its `safety:` part; a loosening is an error.
Result<Target> load_target(const std::filesystem::path& directory, Policy& policy);
Result<Target> parse_target(std::string text, const std::string& name, Policy& policy);

}  // namespace instar::engine
