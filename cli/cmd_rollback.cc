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
  const auto repository = INSTAR_TRY(checkpoints::Repository::open(globals.directory));
  const auto directory = INSTAR_TRY(find_run(repository, options.run));
  const std::string& run = directory.run().str();
  const SystemClock clock;
  std::optional<std::string> variant;
  if (!options.variant.empty()) variant = options.variant;
  const auto done = INSTAR_TRY(engine::roll_back(repository, directory, variant, clock));
  if (globals.json) {
    print_json({{"run", run}, {"from", done.from}, {"to", done.to}, {"commit", done.commit}});
    return ExitCode::kDone;
  }
  std::printf("run %s: champion %s -> %s\n  undo: instar rollback %s %s\n", run.c_str(),
              done.from.c_str(), done.to.c_str(), run.c_str(), done.from.c_str());
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
