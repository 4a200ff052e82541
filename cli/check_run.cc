#include "cli/check_run.h"

#include <algorithm>
#include <memory>

#include "checkpoints/git_store.h"
#include "cli/signals.h"
#include "engine/run/run_parts.h"
#include "engine/run/surface_look.h"
#include "isolation/level_available.h"

namespace instar::cli {

namespace {

/// What sealed files the working tree has and `tree` lacks, in a sentence; empty when none. Most
/// often it is a test directory that git ignores: it is there to see, and the cell has none.
Result<std::string> seals_not_committed(const CheckReport& report,
                                        const checkpoints::Repository& repository,
                                        const std::vector<checkpoints::TreeEntry>& tree) {
  const auto missing = INSTAR_TRY(engine::not_committed(report.target.sealed, repository, tree));
  return missing.empty() ? std::string() : engine::say_not_committed(missing);
}

/// A stage failed, and no test says which of the program's faults it was.
bool stopped_without_a_test(const engine::Baseline& base) {
  const auto& tests = base.evaluation.tests;
  return base.evaluation.verdict != engine::Verdict::kPassed &&
         std::none_of(tests.begin(), tests.end(),
                      [](const auto& test) { return engine::is_failure(test.second); });
}

}  // namespace

Result<engine::Baseline> run_base(const CheckReport& report,
                                  const std::filesystem::path& directory) {
  INSTAR_CHECK(engine::require(report.required));
  const auto repository = INSTAR_TRY(checkpoints::Repository::open(directory));
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(repository));
  const auto base = INSTAR_TRY(store->commit_info(report.base));
  // Ctrl-C ends the cells and leaves nothing behind.
  std::unique_ptr<Signals> signals;
  const auto parts = INSTAR_TRY(engine::make_run_parts({.repository = repository,
                                                        .target = report.target,
                                                        .policy = report.policy,
                                                        .base = base.tree,
                                                        .jobs = 1,
                                                        .level = report.required.level},
                                                       [&] {
                                                         signals = std::make_unique<Signals>(
                                                             Signals::of_a_trial());
                                                         return signals->control();
                                                       }));
  auto baseline = parts.evaluator->baseline(parts.control.drain);
  const bool tells_nothing = baseline ? stopped_without_a_test(*baseline)
                                      : baseline.error().code == ErrorCode::kInvalidInput;
  if (!tells_nothing) return baseline;
  const auto entries = INSTAR_TRY(store->list(base.tree));
  const std::string missing = INSTAR_TRY(seals_not_committed(report, repository, entries));
  if (missing.empty()) return baseline;
  if (baseline) {
    baseline->evaluation.reason += "; " + missing;
    return baseline;
  }
  Error error = baseline.error();
  error.hint = missing + (error.hint.empty() ? "" : "; " + error.hint);
  return fail(std::move(error));
}

}  // namespace instar::cli
