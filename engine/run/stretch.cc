#include "engine/run/stretch.h"

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "checkpoints/anchor.h"
#include "checkpoints/patch.h"
#include "checkpoints/ref_names.h"
#include "checkpoints/run_directory.h"
#include "engine/edit_window/surface_rules.h"
#include "engine/evaluation/compare.h"
#include "engine/evaluation/evaluation_json.h"
#include "engine/generators/factory.h"
#include "engine/run/history.h"
#include "engine/run/intact.h"
#include "engine/run/ledger_journal.h"
#include "engine/run/record_fields.h"
#include "engine/run/run_parts.h"

namespace instar::engine {

namespace {

using checkpoints::RunDirectory;
using nlohmann::json;

constexpr std::size_t kLargestPinned = 1U << 20;

/// A run that stands on disk and is locked, whichever way this stretch came to it.
struct OpenRun {
  RunDirectory directory;
  checkpoints::RunLock lock;
  std::unique_ptr<LedgerJournal> journal;
};

Result<OpenRun> open_journal(RunDirectory directory, checkpoints::RunLock lock,
                             const Clock& clock) {
  auto journal = INSTAR_TRY(LedgerJournal::open(directory, clock));
  return OpenRun{std::move(directory), std::move(lock), std::move(journal)};
}

/// What came before this stretch; nothing of all when it is the first.
struct Past {
  std::uint64_t stretches = 0;
  std::vector<PastRollback> rollbacks;
  std::uint64_t results = 0;  ///< judged
  bool ended = false;         ///< the last stretch was not cut off
};

/// What both kinds of stretch give to the loop.
LoopConfig loop_config(const RunPlan& plan, const std::string& run, Past past) {
  return {.identity = {.run = run,
                       .base_commit = plan.base.commit,
                       .policy_sha256 = plan.policy.digest.hex(),
                       .level = std::string(to_string(plan.required.level))},
          .base_tree = plan.base.tree,
          .seed = plan.seed,
          .window = plan.target.search.window,
          .jobs = plan.jobs,
          .limits = plan.limits,
          .objectives = plan.target.objectives,
          .noisy = compares_noisy(plan.target),
          .rollbacks = std::move(past.rollbacks),
          .results_on_record = past.results,
          .record_ended = past.ended};
}

json end_fields(const RunResult& result) {
  const Counters& count = result.counters;
  json champion;
  if (result.champion) champion = result.champion->variant.id;
  return {{"ended", to_string(result.ended)},
          {"solved", result.solved},
          {"breaker", result.breaker ? json(result.breaker->rule) : json()},
          {"champion", champion},
          {"generated", count.generated},
          {"refused", count.refused},
          {"duplicate", count.duplicate},
          {"evaluated", count.evaluated},
          {"accepted", count.accepted}};
}

/// The loop over an open run, then its clean end: patches, `run_ended`, the anchor.
Result<RunResult> run_loop(const RunPlan& plan, RunParts& parts, OpenRun& open,
                           const Baseline& baseline, Past past, const Clock& clock,
                           RunObserver& observer) {
  const Surface surface = surface_of(plan.target, plan.policy);
  const SurfaceRules rules = INSTAR_TRY(SurfaceRules::compile(surface));
  EditWindow window(surface, *parts.store, plan.base.tree);
  const auto generator = make_generator(
      plan.target.generator, *parts.store,
      [&](const std::string& path) { return rules.permits(path); }, plan.seed);
  const std::string run = open.directory.run().str();
  const std::uint64_t stretch = past.stretches;
  Loop loop(loop_config(plan, run, std::move(past)),
            {.proposing = {.generator = *generator,
                           .window = window,
                           .store = *parts.store,
                           .journal = *open.journal,
                           .render_patch =
                               [&](const auto& before, const auto& after) {
                                 return checkpoints::make_patch(*parts.store, before, after);
                               }},
             .evaluator = *parts.evaluator,
             .clock = clock,
             .observer = observer},
            baseline, parts.control);
  RunResult result = INSTAR_TRY(loop.run());
  INSTAR_CHECK(open.journal->flush_patches());
  INSTAR_CHECK(open.journal->sync());
  // Before the end is recorded as well, so that no crash leaves a run that has ended without one.
  INSTAR_CHECK(checkpoints::write_anchor(*parts.store, run, open.journal->last()));
  INSTAR_TRY(open.journal->record("run_ended", std::to_string(stretch), end_fields(result)));
  INSTAR_CHECK(open.journal->sync());
  INSTAR_CHECK(checkpoints::write_anchor(*parts.store, run, open.journal->last()));
  return result;
}

json start_fields(const RunPlan& plan) {
  return {{"target", plan.target.name},
          {"target_sha256", plan.target.digest.hex()},
          {"policy_sha256", plan.policy.digest.hex()},
          {"policy_origin", plan.policy.origin},
          {"base_commit", plan.base.commit.hex()},
          {"base_tree", plan.base.tree.hex()},
          {"base_ref", plan.base_ref},
          {"objectives", objective_names(plan.target.objectives)},
          {"generator", plan.target.generator.kind},
          {"seed", plan.seed},
          {"window", plan.target.search.window},
          {"level", to_string(plan.required.level)},
          {"level_reasons", plan.required.reasons},
          {"variants", plan.limits.variants},
          {"variants_is_cap", plan.limits.variants_is_cap}};
}

Result<void> refuse_known_run(const checkpoints::Repository& repository,
                              const checkpoints::RunId& run) {
  for (const auto& known : INSTAR_TRY(RunDirectory::list(repository.common_dir()))) {
    if (known != run) continue;
    const auto directory = INSTAR_TRY(RunDirectory::open(repository.common_dir(), run));
    std::error_code missing;
    const bool began = std::filesystem::file_size(directory.ledger_file(), missing) > 0 && !missing;
    return fail(
        ErrorCode::kInvalidInput, "there is a run '" + run.str() + "' already",
        began ? "`instar resume " + run.str() + "` goes on with it; or choose another --run-id"
              : "it was cut off before its first record and holds nothing: choose another "
                "--run-id, or remove its directory " +
                    shell_quoted(directory.path().string()));
  }
  return {};
}

/// Refs of a run that is not there would be in the way of its checkpoints, hours later.
Result<void> refuse_foreign_refs(checkpoints::CheckpointStore& store,
                                 const checkpoints::RunId& run) {
  const auto refs = INSTAR_TRY(store.refs(checkpoints::run_ref_prefix(run.str())));
  if (refs.empty()) return {};
  return fail(
      ErrorCode::kIntegrity,
      "there is no run '" + run.str() + "', but the ref " + refs.front().name + " is there",
      "choose another --run-id; or, if nobody needs it: git update-ref -d " + refs.front().name);
}

PartsSpec parts_of(const RunPlan& plan) {
  return {.repository = plan.repository,
          .target = plan.target,
          .policy = plan.policy,
          .base = plan.base.tree,
          .jobs = plan.jobs,
          .level = plan.required.level};
}

}  // namespace

Result<RunResult> start_run(RunPlan plan, const Clock& clock, RunObserver& observer,
                            const std::function<RunControl()>& begin_signals) {
  const auto run = plan.run_id ? INSTAR_TRY(checkpoints::RunId::parse(*plan.run_id))
                               : checkpoints::RunId::generate(clock);
  INSTAR_CHECK(refuse_known_run(plan.repository, run));
  RunParts parts = INSTAR_TRY(make_run_parts(parts_of(plan), begin_signals));
  INSTAR_CHECK(refuse_foreign_refs(*parts.store, run));
  observer.on_phase("running the base three times");
  const Baseline baseline = INSTAR_TRY(parts.evaluator->baseline(parts.control.drain));
  for (const TestId& id : baseline.flaky) {
    observer.on_phase("unstable, left out: " + to_string(id));
  }
  // Only now does anything reach the disk: a base that cannot be run leaves nothing behind.
  auto directory = INSTAR_TRY(RunDirectory::create(
      plan.repository.common_dir(), run, {.policy = plan.policy.text, .target = plan.target.text}));
  auto lock = INSTAR_TRY(directory.lock());
  OpenRun open = INSTAR_TRY(open_journal(std::move(directory), std::move(lock), clock));
  INSTAR_TRY(open.journal->record("run_started", run.str(), start_fields(plan)));
  INSTAR_TRY(open.journal->record("baseline", run.str(), to_json(baseline)));
  INSTAR_CHECK(open.journal->sync());
  return run_loop(plan, parts, open, baseline, {}, clock, observer);
}

namespace {

/// The limit that the user asked for, now or for the last stretch; nothing: the policy's cap.
Result<std::optional<std::uint64_t>> wanted_variants(const ResumeRequest& request,
                                                     const LedgerJournal& journal) {
  const std::uint64_t judged = journal.count("judged");
  if (request.variants && *request.variants < judged) {
    return fail(ErrorCode::kInvalidInput,
                "--variants " + std::to_string(*request.variants) + " is less than the " +
                    std::to_string(judged) + " variants that run " + request.run +
                    " has judged already",
                "the number counts from the run's start: give " + std::to_string(judged) +
                    " or more, or leave it out to go on with the limit of before");
  }
  if (request.variants) return request.variants;
  const std::uint64_t resumed = journal.count("resumed");
  const auto last = resumed > 0 ? journal.find("resumed", std::to_string(resumed))
                                : journal.find("run_started", request.run);
  const nlohmann::json limits = last.value_or(nlohmann::json());
  const std::uint64_t variants = INSTAR_TRY(number_field(limits, "variants"));
  const bool is_cap = INSTAR_TRY(flag_field(limits, "variants_is_cap"));
  return is_cap ? std::optional<std::uint64_t>() : std::optional(variants);
}

/// Asked for more, where nothing more can be had.
Result<void> refuse_beyond_cap(const ResumeRequest& request, const Policy& policy,
                               const LedgerJournal& journal) {
  const std::uint64_t judged = journal.count("judged");
  if (!request.variants || *request.variants <= judged || judged < policy.run.variants) return {};
  return fail(ErrorCode::kInvalidInput,
              "run " + request.run + " has judged " + std::to_string(judged) +
                  " variants, which is all that the policy it began with allows (run.variants)",
              "begin a new run with a policy that allows more: instar evolve --policy FILE --base "
              "refs/instar/" +
                  request.run + "/champion");
}

/// The plan that the run began with, from what it pinned and what was verified.
Result<RunPlan> pinned_plan(const ResumeRequest& request, checkpoints::Repository repository,
                            const RunDirectory& directory, const RunHistory& history,
                            std::vector<std::string>& notes) {
  Policy policy = INSTAR_TRY(
      parse_policy(INSTAR_TRY(read_file(directory.policy_file(), kLargestPinned)), "policy.yaml"));
  Target target = INSTAR_TRY(parse_target(
      INSTAR_TRY(read_file(directory.target_file(), kLargestPinned)), "instar.yaml", policy));
  const auto base = INSTAR_TRY(repository.resolve(history.base_commit));
  RequiredLevel required{
      .level = isolation::parse_level(history.level).value_or(isolation::Level::kContainer),
      .reasons = {}};
  INSTAR_CHECK(require(required));
  const unsigned jobs = clip_jobs(request.jobs, target.search.window, notes);
  return RunPlan{.repository = std::move(repository),
                 .policy = std::move(policy),
                 .target = std::move(target),
                 .base = base,
                 .base_ref = history.base_ref,
                 .required = required,
                 .limits = {},
                 .seed = history.seed,
                 .jobs = jobs,
                 .surface_files = 0,
                 .notes = {},
                 .run_id = history.run};
}

}  // namespace

Result<Resumed> resume_run(const ResumeRequest& request, const Clock& clock, RunObserver& observer,
                           const std::function<RunControl()>& begin_signals) {
  auto repository = INSTAR_TRY(checkpoints::Repository::open(request.directory));
  const auto id = INSTAR_TRY(checkpoints::RunId::parse(request.run));
  auto directory = INSTAR_TRY(RunDirectory::open(repository.common_dir(), id));
  auto lock = INSTAR_TRY(directory.lock());
  // Both before the ledger is opened for writing, which sets a torn record aside: what is not as
  // it was left stays as it is found.
  INSTAR_CHECK(require_intact(repository, directory));
  const RunHistory history = INSTAR_TRY(load_history(directory));
  OpenRun open = INSTAR_TRY(open_journal(std::move(directory), std::move(lock), clock));
  const auto started = open.journal->find("run_started", id.str());
  const auto measured = open.journal->find("baseline", id.str());
  if (!started || !measured) {
    return fail(ErrorCode::kInvalidInput, "run " + id.str() + " was cut off before it began",
                "begin a new one with `instar evolve`");
  }
  std::vector<std::string> notes;
  RunPlan plan =
      INSTAR_TRY(pinned_plan(request, std::move(repository), open.directory, history, notes));
  const auto variants = INSTAR_TRY(wanted_variants(request, *open.journal));
  INSTAR_CHECK(refuse_beyond_cap(request, plan.policy, *open.journal));
  plan.limits = limits_of(plan.target, plan.policy, variants, request.wall);
  note_caps(plan.policy, request.variants, request.wall, notes);
  const auto present = read_file(request.directory / "instar.yaml", kLargestPinned);
  if (present && *present != plan.target.text) {
    notes.emplace_back(
        "instar.yaml has changed since the run began, which goes on with the one of then; a new "
        "run "
        "takes the new one");
  }
  for (const auto& note : notes) observer.on_phase(note);
  if (open.journal->torn()) observer.on_phase("the last record was torn and is set aside");

  RunParts parts = INSTAR_TRY(make_run_parts(parts_of(plan), begin_signals));
  INSTAR_CHECK(parts.store->clear_stale_locks(id.str()));
  const std::uint64_t stretch = open.journal->count("resumed") + 1;
  const std::uint64_t judged = open.journal->count("judged");
  INSTAR_TRY(open.journal->record(
      "resumed", std::to_string(stretch),
      {{"variants", plan.limits.variants}, {"variants_is_cap", plan.limits.variants_is_cap}}));
  const Baseline baseline = INSTAR_TRY(baseline_from_json(*measured));
  observer.on_phase("preparing the base");
  INSTAR_CHECK(parts.evaluator->adopt(baseline, parts.control.drain));
  Past past{.stretches = stretch,
            .rollbacks = history.rollbacks,
            .results = judged,
            .ended = history.ended.has_value()};
  const RunResult result =
      INSTAR_TRY(run_loop(plan, parts, open, baseline, std::move(past), clock, observer));
  return Resumed{.result = result, .level = plan.required.level, .seed = plan.seed};
}

}  // namespace instar::engine
