#include "cli/run_lookup.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "checkpoints/run_directory.h"

namespace instar::cli {

Result<std::vector<std::string>> run_names(const std::filesystem::path& common_dir) {
  std::vector<std::string> names;
  for (const auto& run : INSTAR_TRY(checkpoints::RunDirectory::list(common_dir))) {
    names.push_back(run.str());
  }
  return names;
}

Result<std::string> find_run(const std::filesystem::path& common_dir, const std::string& name) {
  const auto runs = INSTAR_TRY(run_names(common_dir));
  if (runs.empty()) {
    return fail(ErrorCode::kNotFound, "this repository has no run yet",
                "`instar evolve` begins one");
  }
  if (name.empty()) return runs.front();
  std::vector<std::string> matches;
  for (const auto& run : runs) {
    if (run == name) return run;
    if (run.starts_with(name)) matches.push_back(run);
  }
  if (matches.size() == 1) return matches.front();
  if (matches.size() > 1) {
    return fail(ErrorCode::kInvalidInput, "several runs begin with '" + name + "'",
                "give more of the name: " + join(matches, ", "));
  }
  const std::string near = did_you_mean(name, runs);
  return fail(ErrorCode::kNotFound, "there is no run '" + name + "'",
              near.empty() ? "`instar log --runs` lists the runs" : "did you mean " + near + "?");
}

Result<RunView> open_run(const Globals& globals, const std::string& name) {
  auto repository = INSTAR_TRY(checkpoints::Repository::open(globals.directory));
  const std::string run = INSTAR_TRY(find_run(repository.common_dir(), name));
  const auto id = INSTAR_TRY(checkpoints::RunId::parse(run));
  const auto directory =
      INSTAR_TRY(checkpoints::RunDirectory::open(repository.common_dir(), id)).path();
  auto history = INSTAR_TRY(engine::load_history(directory));
  return RunView{std::move(repository), directory, std::move(history)};
}

Result<VariantView> open_variant(const Globals& globals, const std::string& spec) {
  const auto slash = spec.find('/');
  const std::string run_name = slash == std::string::npos ? "" : spec.substr(0, slash);
  std::string variant = slash == std::string::npos ? spec : spec.substr(slash + 1);
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

std::string headline(const engine::HistoryEntry& entry) {
  std::string text = entry.verdict.empty() ? entry.state : entry.verdict;
  const auto failed = entry.metrics.find("tests.failed");
  if (failed != entry.metrics.end()) text += fmt::format("  tests.failed {:g}", failed->second);
  return text;
}

}  // namespace instar::cli
