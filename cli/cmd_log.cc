#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/graph.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/run_lookup.h"
#include "cli/terminal.h"

namespace instar::cli {

namespace {

struct Options {
  std::string run;
  bool all = false;
  bool runs = false;
  std::optional<std::string> verdict;
  std::optional<std::string> most;
};

/// Cut to the terminal's width, with a mark; whole into a file or a pipe.
void print_fitting(const std::string& line) {
  const std::size_t width = terminal_width(STDOUT_FILENO).value_or(line.size());
  std::printf("%s\n", fitted(line, width).c_str());
}

std::string label_of(const engine::HistoryEntry& entry, const engine::RunHistory& history) {
  std::string label = entry.id + "  n=" + std::to_string(entry.n) + "  " + headline(entry, history);
  if (!entry.purpose.empty()) label += "  " + escape_for_terminal(entry.purpose);
  if (entry.id == history.champion) label += "  (champion)";
  return label;
}

/// Newest first: what the options leave.
Result<std::vector<const engine::HistoryEntry*>> chosen(const engine::RunHistory& history,
                                                        const Options& options) {
  static const std::vector<std::string> kVerdicts{"passed", "failed", "timeout", "violated",
                                                  "infra"};
  if (options.verdict && std::ranges::find(kVerdicts, *options.verdict) == kVerdicts.end()) {
    const std::string near = did_you_mean(*options.verdict, kVerdicts);
    return fail(
        ErrorCode::kInvalidInput, "there is no verdict '" + *options.verdict + "'",
        near.empty() ? "the verdicts are " + join(kVerdicts, ", ") : "did you mean " + near + "?");
  }
  std::vector<const engine::HistoryEntry*> entries;
  const auto most = INSTAR_TRY(whole_number("-n", options.most));
  for (auto entry = history.variants.rbegin(); entry != history.variants.rend(); ++entry) {
    if (most && entries.size() == *most) break;
    const bool everything = options.all || options.verdict;
    if (!everything && entry->state != "accepted") continue;
    if (options.verdict && entry->verdict != *options.verdict) continue;
    entries.push_back(&*entry);
  }
  return entries;
}

/// A line each, with the parent: the many that were rejected have no children to draw.
void print_list(const engine::RunHistory& history,
                const std::vector<const engine::HistoryEntry*>& entries) {
  for (const auto* entry : entries) {
    const bool accepted = entry->state == "accepted";
    print_fitting((accepted ? "* " : "  ") + label_of(*entry, history) + "  from " +
                  join(entry->parents, " "));
  }
}

void print_graph(const engine::RunHistory& history,
                 const std::vector<const engine::HistoryEntry*>& entries) {
  std::vector<GraphNode> nodes;
  for (const auto* entry : entries) {
    nodes.push_back({entry->id, entry->parents, label_of(*entry, history)});
  }
  nodes.push_back(
      {"base",
       {},
       "base  " + history.base_commit + "  (" + escape_for_terminal(history.base_ref) + ")"});
  for (const auto& line : draw_graph(nodes)) print_fitting(line);
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
  const auto entries = INSTAR_TRY(chosen(view.history, options));
  if (globals.json) {
    nlohmann::json variants = nlohmann::json::array();
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
      variants.push_back(entry_json(**entry, view.history));
    }
    print_json({{"run", view.history.run},
                {"base", {{"commit", view.history.base_commit}, {"ref", view.history.base_ref}}},
                {"variants", std::move(variants)}});
    return ExitCode::kDone;
  }
  std::printf("run %s\n", view.history.run.c_str());
  // A graph needs every node of its lines.
  if (options.all || options.verdict || options.most) {
    print_list(view.history, entries);
  } else {
    print_graph(view.history, entries);
  }
  return ExitCode::kDone;
}

}  // namespace

Action declare_log(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<Options>();
  app.add_option("RUN", options->run);
  app.add_flag("--all", options->all);
  app.add_flag("--runs", options->runs);
  app.add_option("--verdict", options->verdict);
  app.add_option("-n", options->most);
  return [options, &globals] { return log(*options, globals); };
}

}  // namespace instar::cli
