#include "engine/evaluation/base_runs.h"

#include <algorithm>

#include "base/text.h"
#include "engine/evaluation/assemble.h"
#include "engine/evaluation/compare.h"
#include "engine/evaluation/rank_test.h"

namespace instar::engine {

namespace {

Error base_error(const Stage& stage, const std::string& why, const std::string& excerpt,
                 std::string hint) {
  Error error{.code = ErrorCode::kInvalidInput,
              .message = "the base cannot be evaluated: stage " + stage.name + " (" + stage.source +
                         "): " + why,
              .hint = std::move(hint)};
  if (!excerpt.empty()) error.message += "\n--- what it printed last ---\n" + excerpt + "\n---";
  return error;
}

std::string names_of(const std::set<TestId>& ids) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> names;
  for (const TestId& id : ids) {
    if (names.size() == kShown) break;
    names.push_back(to_string(id));
  }
  std::string text = join(names, ", ");
  if (ids.size() > kShown) text += " and " + std::to_string(ids.size() - kShown) + " more";
  return text;
}

/// Outcomes of the same class are one answer: a test that hangs in one run and fails in another is
/// broken, not flaky.
enum class Class { kGood, kBad, kSetAside };

Class class_of(TestOutcome outcome) {
  if (outcome == TestOutcome::kPassed) return Class::kGood;
  return is_failure(outcome) ? Class::kBad : Class::kSetAside;
}

/// The ids that any run or list knows, each with its outcome per run.
std::map<TestId, std::vector<TestOutcome>> table_of(const Stage& stage,
                                                    const std::vector<StageRun>& runs,
                                                    const std::vector<TestRecord>& listed) {
  std::map<TestId, std::vector<TestOutcome>> table;
  const auto row = [&](const TestRecord& test) -> std::vector<TestOutcome>& {
    TestId id{.stage = stage.name, .classname = test.classname, .name = test.name};
    auto& outcomes = table[std::move(id)];
    outcomes.resize(runs.size(), TestOutcome::kMissing);
    return outcomes;
  };
  for (const TestRecord& test : listed) row(test);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].report) continue;
    for (const TestRecord& test : runs[i].report->collected) row(test);
    for (const TestRecord& test : runs[i].report->tests) row(test)[i] = test.outcome;
  }
  return table;
}

const StageRun& most_telling(const std::vector<StageRun>& runs) {
  const auto failed = std::find_if(runs.begin(), runs.end(), [](const StageRun& run) {
    return run.verdict != Verdict::kPassed;
  });
  return failed == runs.end() ? runs.front() : *failed;
}

class BaseMeasurement {
 public:
  BaseMeasurement(const Target& target, const isolation::Limits& limits, std::vector<Lane>& lanes)
      : target_(target), limits_(limits), lanes_(lanes), cascades_(lanes.size()) {}

  Result<Baseline> measure(std::stop_token stop) {
    bool reached = true;
    for (const Stage& stage : target_.evaluate) {
      std::vector<StageRun> runs;
      if (reached) runs = INSTAR_TRY(run_stage(stage, stop));
      if (reports_tests(stage)) INSTAR_CHECK(learn_tests(stage, runs, stop));
      if (reached) reached = INSTAR_TRY(settle(stage, runs));
    }
    INSTAR_CHECK(learn_created());
    learn_touched();
    Baseline baseline = finish();
    INSTAR_CHECK(check_objectives(baseline.evaluation.metrics));
    return baseline;
  }

 private:
  Result<std::vector<StageRun>> run_stage(const Stage& stage, std::stop_token stop) {
    std::vector<StageRun> runs;
    for (Lane& lane : lanes_) {
      // What the first run told about its slowest test is the deadline of the next ones.
      const StageDeadline deadline =
          stage_deadline(stage, limits_, runs.empty() ? nullptr : &baseline_);
      runs.push_back(lane.run(stage, deadline, stop));
      const StageRun& run = runs.back();
      if (stop.stop_requested()) return fail(ErrorCode::kInterrupted, "stopped");
      if (run.verdict == Verdict::kInfra) {
        const Error ours = run.ours.value_or(
            Error{.code = ErrorCode::kInternal, .message = run.reason, .hint = {}});
        return fail(ours.while_doing("the cell of stage " + stage.name));
      }
      if (run.verdict == Verdict::kViolated) {
        return fail(base_error(stage,
                               "it breaks a rule that every variant must keep: " + run.reason,
                               run.excerpt, "change the command, or narrow `sealed`"));
      }
      if (run.report && run.report->slowest_test_cpu_s > 0) {
        double& slowest = baseline_.slowest_test_cpu_s[stage.name];
        slowest = std::max(slowest, run.report->slowest_test_cpu_s);
      }
    }
    return runs;
  }

  Result<void> learn_tests(const Stage& stage, const std::vector<StageRun>& runs,
                           std::stop_token stop) {
    std::vector<TestRecord> listed;
    if (!stage.list.empty()) listed = INSTAR_TRY(list(stage, stop));
    if (runs.empty() && listed.empty()) {
      return fail(base_error(stage,
                             "it is never reached, since an earlier stage fails, and nothing else "
                             "tells which tests it has",
                             cascades_.front().back().excerpt,
                             "repair the earlier stage, or give this one `list:`, a command that "
                             "prints the test ids"));
    }
    TestBase learned = INSTAR_TRY(combine_tests(stage, runs, listed));
    if (!learned.flaky.empty() && target_.flaky == FlakyRule::kRefuse) {
      return fail(base_error(stage, "tests are flaky: " + names_of(learned.flaky), {},
                             "mend them, or say `flaky: exclude` to leave them out"));
    }
    tests_.outcomes.merge(learned.outcomes);
    tests_.flaky.merge(learned.flaky);
    return {};
  }

  Result<std::vector<TestRecord>> list(const Stage& stage, std::stop_token stop) {
    const auto cell = INSTAR_TRY(lanes_.back().run_command(stage.list, stop));
    const auto listed = parse_test_list(cell.out.head);
    const bool ended = cell.outcome == isolation::Outcome::kExited && cell.exit_code == 0;
    if (ended && listed && cell.out.tail.empty()) return *listed;
    const std::string why = !ended    ? "it did not exit with 0"
                            : !listed ? listed.error().message
                                      : "it prints too much";
    return fail(base_error(stage, "its `list:` command gives no ids: " + why, output_excerpt(cell),
                           "it must print one id per line, `classname::name`"));
  }

  /// Judges the runs of one stage; true when the cascade goes on.
  Result<bool> settle(const Stage& stage, std::vector<StageRun>& runs) {
    std::set<bool> passed;
    double& cpu_s = baseline_.cpu_s[stage.name];
    double& wall_s = baseline_.wall_s[stage.name];
    for (std::size_t i = 0; i < runs.size(); ++i) {
      StageRun& run = runs[i];
      judge_against_base(stage, run, tests_);
      if (run.verdict == Verdict::kViolated) {
        return fail(base_error(stage, run.reason, run.excerpt,
                               "make `list:`, the report and the exit status agree"));
      }
      passed.insert(run.verdict == Verdict::kPassed);
      const double hung = run.report ? run.report->timed_out_cpu_s : 0;
      cpu_s = std::max(cpu_s, run.metrics.at(stage.name + ".cpu_s") - hung);
      wall_s = std::max(wall_s, run.metrics.at(stage.name + ".wall_s"));
      cascades_[i].push_back(run);
    }
    if (passed.size() > 1) {
      const StageRun& run = most_telling(runs);
      return fail(base_error(stage,
                             "it is unstable: of " + std::to_string(runs.size()) +
                                 " runs some passed and some did not (" + run.reason + ")",
                             run.excerpt, "make the command give the same answer every time"));
    }
    return *passed.begin();
  }

  Result<void> learn_created() {
    for (const Lane& lane : lanes_) {
      const auto& created = lane.habits().created;
      const auto& first = lanes_.front().habits().created;
      if (created == first) continue;
      std::vector<std::string> differing;
      std::set_symmetric_difference(created.begin(), created.end(), first.begin(), first.end(),
                                    std::back_inserter(differing));
      return fail(ErrorCode::kInvalidInput,
                  "the base creates files of changing names among its sealed ones: " +
                      escape_for_terminal(differing.front()),
                  "write them below $TMPDIR, or narrow `sealed`");
    }
    const auto& created = lanes_.front().habits().created;
    baseline_.stage_created.assign(created.begin(), created.end());
    return {};
  }

  /// A metric that its stage does not report, among others that it does: a slip of the pen, and a
  /// search that could never end well. Where the base reports none, a variant still may.
  Result<void> check_objectives(const Metrics& metrics) const {
    for (const Objective& objective : target_.objectives) {
      if (metrics.contains(objective.metric)) continue;
      const std::string stage = objective.metric.substr(0, objective.metric.find('.') + 1);
      std::vector<std::string> reported;
      for (const auto& [name, value] : metrics) {
        if (name.starts_with(stage) && !is_measured(name.substr(stage.size()))) {
          reported.push_back(escape_for_terminal(name));
        }
      }
      if (reported.empty()) continue;
      return fail(ErrorCode::kInvalidInput,
                  "the objective " + escape_for_terminal(objective.metric) +
                      " is a metric that the base does not report",
                  "its stage reports " + join(reported, ", "));
    }
    return {};
  }

  static bool is_measured(const std::string& name) {
    return name == "cpu_s" || name == "wall_s" || name == "peak_memory_bytes";
  }

  /// What any of the runs touched: one that leaves a file alone does not make that a rule.
  void learn_touched() {
    std::set<std::string> touched;
    for (const Lane& lane : lanes_) {
      touched.insert(lane.habits().touched.begin(), lane.habits().touched.end());
    }
    baseline_.stage_touched.assign(touched.begin(), touched.end());
  }

  Baseline finish() {
    std::vector<Evaluation> evaluations;
    for (const auto& cascade : cascades_) {
      evaluations.push_back(assemble(target_, cascade, tests_, 0, 0));
    }
    Evaluation& evaluation = baseline_.evaluation = evaluations.front();
    evaluation.tests = tests_.outcomes;
    for (auto& [name, value] : evaluation.metrics) {
      std::vector<double> values;
      for (const Evaluation& each : evaluations) {
        const auto found = each.metrics.find(name);
        if (found != each.metrics.end()) values.push_back(found->second);
      }
      value = median(values);
      note_unstable(name, values);
    }
    if (has_tests()) add_test_metrics(tests_.outcomes, tests_, evaluation.metrics);
    baseline_.flaky.assign(tests_.flaky.begin(), tests_.flaky.end());
    note_touched();
    return std::move(baseline_);
  }

  void note_touched() {
    const auto& touched = baseline_.stage_touched;
    if (touched.empty()) return;
    std::string names = escape_for_terminal(touched.front());
    if (touched.size() > 1) names += " and " + std::to_string(touched.size() - 1) + " more";
    baseline_.evaluation.notes.push_back(
        "the base's own stages touch sealed files and put them back (" + names +
        "): a variant that does so too is not found out");
  }

  [[nodiscard]] bool has_tests() const {
    return std::any_of(target_.evaluate.begin(), target_.evaluate.end(), reports_tests);
  }

  void note_unstable(const std::string& name, const std::vector<double>& values) {
    const bool exact_objective = std::any_of(
        target_.objectives.begin(), target_.objectives.end(), [&](const Objective& objective) {
          return objective.metric == name && !is_noisy(objective);
        });
    const bool differs =
        std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end();
    if (exact_objective && differs) {
      baseline_.evaluation.notes.push_back(
          name + " differs between the runs of the base: give its objective `noise`");
    }
  }

  const Target& target_;
  const isolation::Limits& limits_;
  std::vector<Lane>& lanes_;
  std::vector<std::vector<StageRun>> cascades_;  ///< per lane, the stages it ran
  TestBase tests_;
  Baseline baseline_;
};

/// What to do; where a module is missing, what of the user's own installation a cell cannot see.
std::string hint_for(const StageRun& run, const std::string& usual) {
  if (run.excerpt.find("No module named") == std::string::npos) return usual;
  return usual +
         ". If the module is installed in a virtualenv or for your user only: a cell sees the "
         "workspace and /usr, and runs /usr/bin/python3, so install it below /usr "
         "(apt install python3-NAME)";
}

}  // namespace

Result<TestBase> combine_tests(const Stage& stage, const std::vector<StageRun>& runs,
                               const std::vector<TestRecord>& listed) {
  const auto reports = std::count_if(runs.begin(), runs.end(),
                                     [](const StageRun& run) { return run.report.has_value(); });
  const bool some = reports > 0 && static_cast<std::size_t>(reports) < runs.size();
  if (some) {
    const auto& silent =
        *std::find_if(runs.begin(), runs.end(), [](const StageRun& run) { return !run.report; });
    return fail(base_error(stage, "only some of its runs give a report: " + silent.reason,
                           silent.excerpt, "make the command give the same answer every time"));
  }
  for (const StageRun& run : runs) {
    if (!listed.empty() || !run.report || run.report->collect_errors.empty()) continue;
    return fail(base_error(stage,
                           "pytest cannot collect " +
                               escape_for_terminal(run.report->collect_errors.front()) +
                               ", so nobody can tell which tests it has",
                           run.excerpt,
                           hint_for(run,
                                    "repair the import, or give the stage `list:`, a command that "
                                    "prints the test ids")));
  }
  TestBase base;
  for (const auto& [id, outcomes] : table_of(stage, runs, listed)) {
    const bool steady = std::all_of(outcomes.begin(), outcomes.end(), [&](TestOutcome outcome) {
      return class_of(outcome) == class_of(outcomes.front());
    });
    if (!steady) {
      base.flaky.insert(id);
    } else {
      base.outcomes[id] = outcomes.empty() ? TestOutcome::kMissing : outcomes.front();
    }
  }
  if (base.outcomes.empty() && base.flaky.empty()) {
    const StageRun& run = most_telling(runs);
    return fail(base_error(
        stage, "no test id can be told" + (run.reason.empty() ? std::string() : ": " + run.reason),
        run.excerpt,
        hint_for(run,
                 "mend the command or its report, or give the stage `list:`, a command that prints "
                 "the test ids")));
  }
  return base;
}

Result<Baseline> measure_base(const Target& target, const isolation::Limits& limits,
                              std::vector<Lane>& lanes, std::stop_token stop) {
  return BaseMeasurement(target, limits, lanes).measure(std::move(stop));
}

}  // namespace instar::engine
