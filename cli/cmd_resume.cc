#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/evolve_report.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/run_lookup.h"
#include "cli/signals.h"
#include "engine/run/stretch.h"

namespace instar::cli {

namespace {

struct Options {
  std::string run;
  std::optional<std::string> variants;
  std::optional<std::string> jobs;
  std::optional<std::string> wall;
  bool quiet = false;
};

Result<ExitCode> resume(const Options& options, const Globals& globals) {
  engine::ResumeRequest request;
  request.directory = globals.directory;
  const auto repository = INSTAR_TRY(checkpoints::Repository::open(globals.directory));
  request.run = INSTAR_TRY(find_run(repository, options.run)).run().str();
  request.variants = INSTAR_TRY(positive_number("--variants", options.variants));
  request.jobs = static_cast<unsigned>(
      INSTAR_TRY(positive_number("--jobs", options.jobs, kMostJobs)).value_or(0));
  request.wall = INSTAR_TRY(duration_value("--wall", options.wall));
  const SystemClock clock;
  Progress progress(options.quiet);
  std::optional<Signals> signals;
  const auto resumed = INSTAR_TRY(engine::resume_run(request, clock, progress, [&] {
    signals.emplace();
    return signals->control();
  }));
  progress.finish();
  return report_run(resumed.result, resumed.level, resumed.seed, globals);
}

}  // namespace

Action declare_resume(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<Options>();
  app.add_option("RUN", options->run);
  app.add_option("--variants", options->variants);
  app.add_option("--jobs", options->jobs);
  app.add_option("--wall", options->wall);
  app.add_flag("--quiet", options->quiet);
  return [options, &globals] { return resume(*options, globals); };
}

}  // namespace instar::cli
