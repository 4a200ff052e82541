#include "cli/run_lookup.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "checkpoints/git_store.h"
#include "checkpoints/ref_names.h"
#include "cli/metric_text.h"

namespace instar::cli {

namespace {

using checkpoints::Repository;
using checkpoints::RunDirectory;
using checkpoints::RunId;

Error no_run() {
  return {.code = ErrorCode::kNotFound,
          .message = "this repository has no run yet",
          .hint = "`instar evolve` begins one"};
}

/// The one run of that name, or the one whose name begins so.
Result<RunId> match_run(const std::vector<RunId>& runs, const std::string& name) {
  std::vector<std::string> names;
  std::vector<std::string> matches;
  for (const RunId& run : runs) {
    if (run.str() == name) return run;
    names.push_back(run.str());
    if (run.str().starts_with(name)) matches.push_back(run.str());
  }
  if (matches.size() == 1) return RunId::parse(matches.front());
  if (matches.size() > 1) {
    return fail(ErrorCode::kInvalidInput, "several runs begin with '" + name + "'",
                "give more of the name: " + join(matches, ", "));
  }
  const std::string near = did_you_mean(name, names);
  return fail(ErrorCode::kNotFound, "there is no run '" + name + "'",
              near.empty() ? "`instar log --runs` lists the runs" : "did you mean " + near + "?");
}

/// Whether that is the whole name of a run.
Result<bool> is_run(const Globals& globals, const std::string& name) {
  const auto repository = INSTAR_TRY(Repository::open(globals.directory));
  const auto runs = INSTAR_TRY(RunDirectory::list(repository.common_dir()));
  return std::ranges::any_of(runs, [&](const RunId& run) { return run.str() == name; });
}

/// A run without a record never began, unless refs of it are there: then its ledger is gone.
Result<engine::RunHistory> history_of(const Repository& repository, const RunDirectory& directory) {
  auto history = engine::load_history(directory);
  if (history || history.error().code != ErrorCode::kNotFound) return history;
  const std::string& run = directory.run().str();
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(repository));
  if (INSTAR_TRY(store->refs(checkpoints::run_ref_prefix(run))).empty()) return history;
  return fail(ErrorCode::kIntegrity,
              "the ledger of run " + run + " has no record, but its checkpoints are there",
              "bring " + directory.ledger_file().string() + " back from a copy; `instar verify " +
                  run + "` then checks it");
}

Result<RunView> view_of(Repository repository, RunDirectory directory) {
  auto history = INSTAR_TRY(history_of(repository, directory));
  return RunView{std::move(repository), std::move(directory), std::move(history)};
}

}  // namespace

Result<RunDirectory> find_run(const Repository& repository, const std::string& name) {
  const auto runs = INSTAR_TRY(RunDirectory::list(repository.common_dir()));
  if (runs.empty()) return fail(no_run());
  return RunDirectory::open(repository.common_dir(),
                            name.empty() ? runs.front() : INSTAR_TRY(match_run(runs, name)));
}

Result<RunView> open_run(const Globals& globals, const std::string& name) {
  auto repository = INSTAR_TRY(Repository::open(globals.directory));
  if (!name.empty()) {
    auto directory = INSTAR_TRY(find_run(repository, name));
    return view_of(std::move(repository), std::move(directory));
  }
  for (const RunId& run : INSTAR_TRY(RunDirectory::list(repository.common_dir()))) {
    auto directory = INSTAR_TRY(RunDirectory::open(repository.common_dir(), run));
    auto history = history_of(repository, directory);
    if (history) return RunView{std::move(repository), std::move(directory), *std::move(history)};
    if (history.error().code != ErrorCode::kNotFound) return fail(history.error());
  }
  return fail(no_run());
}

Result<VariantView> open_variant(const Globals& globals, const std::string& spec) {
  const auto slash = spec.find('/');
  std::string run_name = slash == std::string::npos ? "" : spec.substr(0, slash);
  std::string variant = slash == std::string::npos ? spec : spec.substr(slash + 1);
  if (slash == std::string::npos && INSTAR_TRY(is_run(globals, spec))) {
    run_name = spec;
    variant = "champion";
  }
  RunView run = INSTAR_TRY(open_run(globals, run_name));
  if (variant.empty() || variant == "champion") {
    if (run.history.champion.empty()) {
      return fail(ErrorCode::kNotFound,
                  "run " + run.history.run + " has no champion: it is unchanged",
                  "`instar log --all " + run.history.run + "` shows what was tried");
    }
    variant = run.history.champion;
  }
  const engine::HistoryEntry entry = *INSTAR_TRY(engine::find_by_prefix(run.history, variant));
  return VariantView{std::move(run), entry};
}

nlohmann::json entry_json(const engine::HistoryEntry& entry, const engine::RunHistory& history) {
  return {{"variant", entry.id},
          {"n", entry.n},
          {"run", history.run},
          {"state", entry.state},
          {"verdict", entry.verdict.empty() ? nlohmann::json() : nlohmann::json(entry.verdict)},
          {"reason", entry.reason},
          {"why", entry.why},
          {"metrics", entry.metrics},
          {"parents", entry.parents},
          {"tree", entry.tree},
          {"commit", entry.commit.empty() ? nlohmann::json() : nlohmann::json(entry.commit)},
          {"champion", entry.id == history.champion},
          {"generator", entry.generator},
          {"family", entry.family},
          {"purpose", entry.purpose},
          {"patch", {{"lines", entry.patch_lines}, {"files", entry.patch_files}}},
          {"time", entry.time}};
}

std::string headline(const engine::HistoryEntry& entry, const engine::RunHistory& history) {
  std::string text = entry.verdict.empty() ? entry.state : entry.verdict;
  // Better than its parent, though a stage still fails: no fault of the checkpoint.
  if (entry.state == "accepted" && entry.verdict == "failed") text = "better";
  const std::string metrics = changes_text(history.objectives, entry.metrics, history.baseline);
  return metrics.empty() ? text : text + "  " + metrics;
}

}  // namespace instar::cli
