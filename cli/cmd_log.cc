#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/graph.h"
#include "cli/output.h"
#include "cli/run_lookup.h"

namespace instar::cli {

namespace {

struct Options {
  std::string run;
  bool all = false;
  bool runs = false;
};

std::string label_of(const engine::HistoryEntry& entry, const engine::RunHistory& history) {
  std::string label = entry.id + "  n=" + std::to_string(entry.n) + "  " + headline(entry);
  if (!entry.purpose.empty()) label += "  " + escape_for_terminal(entry.purpose);
  if (entry.id == history.champion) label += "  (champion)";
  return label;
}

void print_graph(const engine::RunHistory& history, bool all) {
  std::vector<GraphNode> nodes;
  for (auto entry = history.variants.rbegin(); entry != history.variants.rend(); ++entry) {
    if (!all && entry->state != "accepted") continue;
    nodes.push_back({entry->id, entry->parents, label_of(*entry, history)});
  }
  nodes.push_back(
      {"base",
       {},
       "base  " + history.base_commit + "  (" + escape_for_terminal(history.base_ref) + ")"});
  for (const auto& line : draw_graph(nodes)) std::printf("%s\n", line.c_str());
}

/// A run in the list; what is wrong with one that cannot be read, so that the others still show.
nlohmann::json run_summary(const checkpoints::Repository& repository,
                           const checkpoints::RunId& run) {
  const auto directory = checkpoints::RunDirectory::open(repository.common_dir(), run);
  const auto history = directory ? engine::load_history(*directory)
                                 : Result<engine::RunHistory>(fail(directory.error()));
  if (!history) return {{"run", run.str()}, {"error", history.error().message}};
  return {{"run", run.str()},
          {"started", history->started},
          {"target", history->target_name},
          {"status", history->champion.empty() ? "unchanged" : "improved"},
          {"variants", history->variants.size()}};
}

Result<ExitCode> list_runs(const Globals& globals) {
  const auto repository = INSTAR_TRY(checkpoints::Repository::open(globals.directory));
  nlohmann::json runs = nlohmann::json::array();
  for (const auto& run : INSTAR_TRY(checkpoints::RunDirectory::list(repository.common_dir()))) {
    runs.push_back(run_summary(repository, run));
  }
  if (globals.json) {
    print_json({{"runs", std::move(runs)}});
    return ExitCode::kDone;
  }
  for (const auto& run : runs) {
    const std::string name = run["run"];
    if (run.contains("error")) {
      std::printf("%-28s %s\n", name.c_str(),
                  escape_for_terminal(run["error"].get<std::string>()).c_str());
      continue;
    }
    std::printf("%-28s %s  %s  %zu variants\n", name.c_str(),
                run["started"].get<std::string>().c_str(), run["status"].get<std::string>().c_str(),
                run["variants"].get<std::size_t>());
  }
  return ExitCode::kDone;
}

Result<ExitCode> log(const Options& options, const Globals& globals) {
  if (options.runs) return list_runs(globals);
  const RunView view = INSTAR_TRY(open_run(globals, options.run));
  if (globals.json) {
    nlohmann::json variants = nlohmann::json::array();
    for (const auto& entry : view.history.variants) {
      if (options.all || entry.state == "accepted") {
        variants.push_back(entry_json(entry, view.history));
      }
    }
    print_json({{"run", view.history.run},
                {"base", {{"commit", view.history.base_commit}, {"ref", view.history.base_ref}}},
                {"variants", std::move(variants)}});
    return ExitCode::kDone;
  }
  print_graph(view.history, options.all);
  return ExitCode::kDone;
}

}  // namespace

Action declare_log(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<Options>();
  app.add_option("RUN", options->run);
  app.add_flag("--all", options->all);
  app.add_flag("--runs", options->runs);
  return [options, &globals] { return log(*options, globals); };
}

}  // namespace instar::cli
