#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/run_lookup.h"

namespace instar::cli {

namespace {

/// The variant and its ancestors, the oldest first. Parents always have a smaller n.
std::vector<engine::HistoryEntry> ancestry(const VariantView& view) {
  std::set<std::string> wanted{view.entry.id};
  std::vector<engine::HistoryEntry> line;
  const auto& variants = view.run.history.variants;
  for (auto entry = variants.rbegin(); entry != variants.rend(); ++entry) {
    if (!wanted.contains(entry->id)) continue;
    wanted.insert(entry->parents.begin(), entry->parents.end());
    line.push_back(*entry);
  }
  std::reverse(line.begin(), line.end());
  return line;
}

Result<ExitCode> lineage(const std::string& spec, const Globals& globals) {
  const VariantView view = INSTAR_TRY(open_variant(globals, spec));
  const auto line = ancestry(view);
  const engine::RunHistory& history = view.run.history;
  if (globals.json) {
    nlohmann::json entries = nlohmann::json::array();
    for (const auto& entry : line) entries.push_back(entry_json(entry, history));
    print_json({{"run", history.run}, {"base", history.base_commit}, {"lineage", entries}});
    return ExitCode::kDone;
  }
  std::printf("base          %s (%s)\n", history.base_commit.c_str(),
              escape_for_terminal(history.base_ref).c_str());
  for (const auto& entry : line) {
    std::printf("%s  %s\n", entry.id.c_str(), headline(entry, history).c_str());
    std::printf("              %s\n", escape_for_terminal(entry.purpose).c_str());
    if (!entry.why.empty())
      std::printf("              %s\n", escape_for_terminal(entry.why).c_str());
  }
  return ExitCode::kDone;
}

}  // namespace

Action declare_lineage(CLI::App& app, const Globals& globals) {
  const auto variant = std::make_shared<std::string>();
  app.add_option("VARIANT", *variant);
  return [variant, &globals] { return lineage(*variant, globals); };
}

}  // namespace instar::cli
