#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/metric_text.h"
#include "cli/output.h"
#include "cli/patch_view.h"
#include "cli/run_lookup.h"
#include "engine/run/variant_tests.h"

namespace instar::cli {

namespace {

struct Options {
  std::string variant;
  bool source = false;
};

void print_tests(const char* title, const std::vector<std::string>& ids) {
  constexpr std::size_t kShown = 10;
  if (ids.empty()) return;
  std::printf("%s\n", title);
  for (std::size_t i = 0; i < ids.size() && i < kShown; ++i) {
    std::printf("  %s\n", escape_for_terminal(ids[i]).c_str());
  }
  if (ids.size() > kShown)
    std::printf("  and %zu more: --json has them all\n", ids.size() - kShown);
}

void print_line(const char* name, const std::string& value) {
  if (!value.empty()) std::printf("%-10s%s\n", name, escape_for_terminal(value).c_str());
}

Result<ExitCode> show(const Options& options, const Globals& globals) {
  const VariantView view = INSTAR_TRY(open_variant(globals, options.variant));
  const engine::HistoryEntry& entry = view.entry;
  const engine::RunHistory& history = view.run.history;
  const std::string patch = options.source ? INSTAR_TRY(variant_patch(view)) : "";
  const auto tests = INSTAR_TRY(engine::variant_tests(view.run.directory, entry.id));
  if (globals.json) {
    nlohmann::json object = entry_json(entry, history);
    object["tests"] = {{"failing", tests.failing},
                       {"newly_failing", tests.newly_failing},
                       {"mended", tests.mended}};
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
    std::printf("  %s\n", change_text(name, entry.metrics, history.baseline).c_str());
  }
  print_tests("mended", tests.mended);
  print_tests("newly failing", tests.newly_failing);
  print_tests("failing", tests.failing);
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
