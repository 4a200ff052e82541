#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/run_lookup.h"
#include "engine/run/rollback.h"

namespace instar::cli {

namespace {

struct Options {
  std::string run;
  std::string variant;
};

Result<ExitCode> rollback(const Options& options, const Globals& globals) {
  const RunView view = INSTAR_TRY(open_run(globals, options.run));
  const SystemClock clock;
  std::optional<std::string> variant;
  if (!options.variant.empty()) {
    variant = INSTAR_TRY(engine::find_by_prefix(view.history, options.variant))->id;
  }
  const auto done =
      INSTAR_TRY(engine::roll_back(view.repository, view.directory, view.history, variant, clock));
  if (globals.json) {
    print_json(
        {{"run", view.history.run}, {"from", done.from}, {"to", done.to}, {"commit", done.commit}});
    return ExitCode::kDone;
  }
  std::printf("run %s: champion %s -> %s\n  undo: instar rollback %s %s\n",
              view.history.run.c_str(), done.from.c_str(), done.to.c_str(),
              view.history.run.c_str(), done.from.c_str());
  return ExitCode::kDone;
}

}  // namespace

Action declare_rollback(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<Options>();
  app.add_option("RUN", options->run)->required();
  app.add_option("VARIANT", options->variant);
  return [options, &globals] { return rollback(*options, globals); };
}

}  // namespace instar::cli
