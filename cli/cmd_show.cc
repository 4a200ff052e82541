#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/patch_view.h"
#include "cli/run_lookup.h"

namespace instar::cli {

namespace {

struct Options {
  std::string variant;
  bool source = false;
};

void print_line(const char* name, const std::string& value) {
  if (!value.empty()) std::printf("%-10s%s\n", name, escape_for_terminal(value).c_str());
}

Result<ExitCode> show(const Options& options, const Globals& globals) {
  const VariantView view = INSTAR_TRY(open_variant(globals, options.variant));
  const engine::HistoryEntry& entry = view.entry;
  const engine::RunHistory& history = view.run.history;
  const std::string patch = options.source ? INSTAR_TRY(variant_patch(view)) : "";
  if (globals.json) {
    nlohmann::json object = entry_json(entry, history);
    if (options.source) object["source"] = patch;
    print_json(std::move(object));
    return ExitCode::kDone;
  }
  print_line("variant", entry.id + (entry.id == history.champion ? "  (champion)" : ""));
  print_line("run", history.run + "  n=" + std::to_string(entry.n) + "  " + entry.time);
  print_line("state", entry.state);
  print_line("verdict", entry.verdict);
  print_line("reason", entry.reason);
  print_line("why", entry.why);
  print_line("purpose", entry.purpose);
  print_line("made by", entry.generator + ", " + entry.family);
  print_line("parents", join(entry.parents, " "));
  print_line("commit", entry.commit);
  print_line("tree", entry.tree);
  print_line("patch", std::to_string(entry.patch_lines) + " lines in " +
                          std::to_string(entry.patch_files) + " files against the base");
  for (const auto& [name, value] : entry.metrics) {
    const auto before = history.baseline.find(name);
    const bool known = before != history.baseline.end() && before->second != value;
    std::printf("  %-28s %g%s\n", escape_for_terminal(name).c_str(), value,
                known ? ("  (base " + std::to_string(before->second) + ")").c_str() : "");
  }
  if (options.source) print_patch(patch, globals.color);
  return ExitCode::kDone;
}

}  // namespace

Action declare_show(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<Options>();
  app.add_option("VARIANT", options->variant);
  app.add_flag("--source", options->source);
  return [options, &globals] { return show(*options, globals); };
}

}  // namespace instar::cli
