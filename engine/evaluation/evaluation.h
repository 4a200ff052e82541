#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "checkpoints/store.h"

namespace instar::engine {

enum class Verdict { kPassed, kFailed, kTimeout, kViolated, kInfra };
std::string_view to_string(Verdict verdict);
std::optional<Verdict> parse_verdict(std::string_view name);

/// How one test ended. Only kPassed is a pass; kMissing is a test of the base that gave no record.
enum class TestOutcome : char {
  kPassed = 'p',
  kFailed = 'f',
  kError = 'e',
  kSkipped = 's',
  kExpectedFail = 'x',
  kMissing = 'm',
  kTimeout = 't'
};

/// A failure of any kind: neither passed nor set aside.
constexpr bool is_failure(TestOutcome outcome) {
  return outcome != TestOutcome::kPassed && outcome != TestOutcome::kSkipped &&
         outcome != TestOutcome::kExpectedFail;
}

struct TestId {
  std::string stage;
  std::string classname;
  std::string name;
  auto operator<=>(const TestId&) const = default;
};
std::string to_string(const TestId& id);

using Metrics = std::map<std::string, double>;
using Samples = std::map<std::string, std::vector<double>>;

/// Everything one attempt showed. `infra` verdicts carry only a reason.
struct Evaluation {
  Verdict verdict = Verdict::kInfra;
  std::string reason;  ///< one sentence for a person; empty for passed
  std::string stage;   ///< where the cascade ended, empty when it ran through
  Metrics
      metrics;  ///< flat, dotted: tests.failed, bench.cpu_s, patch.lines …; a missing one is worst
  Samples samples;         ///< of noisy metrics, one per repeat
  Samples parent_samples;  ///< the parent's, measured interleaved with ours
  std::map<TestId, TestOutcome> tests;
  /// Bounded text of the failing stage for a person (already escaped), never parsed.
  std::string output_excerpt;
  /// What a reader should know and no rule needs: a comparison that was skipped, and why.
  std::vector<std::string> notes;
};

/// What the base showed: the yardstick of every variant.
struct Baseline {
  Evaluation evaluation;
  std::vector<TestId> flaky;  ///< named and left out
  /// Per stage, largest of the runs, without what was spent in tests that met their deadline: the
  /// adaptive deadline of a variant is ten times it.
  std::map<std::string, double> cpu_s;
  std::map<std::string, double> wall_s;  ///< per stage, largest of the runs: bounds the backstop
  /// Per pytest stage, CPU seconds of the slowest test that ended: its multiple is the deadline of
  /// one test where the target names none.
  std::map<std::string, double> slowest_test_cpu_s;
  std::vector<std::string>
      stage_created;  ///< paths that the base's own run creates below sealed patterns
  /// Sealed entries that the base's own run changes and puts back, and directories above them (with
  /// a final `/`) that it moves and puts back.
  std::vector<std::string> stage_touched;
};

struct EvaluationRequest {
  checkpoints::TreeId tree;
  std::optional<checkpoints::TreeId> parent;  ///< measured interleaved where a metric is noisy
  const Evaluation* parent_evaluation = nullptr;
  std::uint64_t patch_lines = 0;
  std::uint64_t patch_files = 0;
  unsigned slot = 0;
};

/// Runs the stages of the target on a tree. The seam that lets the loop be tested without
/// processes. `evaluate` is called from several threads, each with its own slot.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Prepares the base and runs it three times. An Error when the base cannot serve as a yardstick,
  /// with the reason.
  virtual Result<Baseline> baseline(std::stop_token stop) = 0;
  /// Takes the baseline of an earlier stretch of the same run instead of measuring again.
  virtual Result<void> adopt(Baseline baseline, std::stop_token stop) = 0;
  /// Never an Error for what the variant did; our own failure is verdict kInfra.
  virtual Evaluation evaluate(const EvaluationRequest& request, std::stop_token stop) = 0;
};

}  // namespace instar::engine
