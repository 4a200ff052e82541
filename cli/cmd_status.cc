#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/run_lookup.h"

namespace instar::cli {

namespace {

std::size_t count_state(const engine::RunHistory& history, const std::string& state) {
  return static_cast<std::size_t>(
      std::count_if(history.variants.begin(), history.variants.end(),
                    [&](const engine::HistoryEntry& entry) { return entry.state == state; }));
}

std::string phase_of(const engine::RunHistory& history, bool running) {
  if (running) return "running";
  return history.ended ? "ended" : "cut off";
}

Result<ExitCode> status(const std::string& name, const Globals& globals) {
  const RunView view = INSTAR_TRY(open_run(globals, name));
  const engine::RunHistory& history = view.history;
  const std::string phase = phase_of(history, INSTAR_TRY(view.directory.in_use()));
  const auto* champion = history.find(history.champion);
  const std::size_t judged = count_state(history, "accepted") + count_state(history, "rejected");
  // What a run that was cut off had begun is no longer under way.
  const std::size_t under_way =
      phase == "running" ? count_state(history, "admitted") + count_state(history, "running") : 0;
  if (globals.json) {
    print_json(
        {{"run", history.run},
         {"phase", phase},
         {"ended", history.ended ? nlohmann::json(*history.ended) : nlohmann::json()},
         {"target", history.target_name},
         {"level", history.level},
         {"seed", history.seed},
         {"generator", history.generator},
         {"variants",
          {{"generated", history.generated},
           {"refused", history.refused},
           {"duplicate", history.duplicate},
           {"judged", judged},
           {"under_way", under_way},
           {"accepted", count_state(history, "accepted")}}},
         {"baseline", {{"metrics", history.baseline}}},
         {"champion", champion != nullptr ? entry_json(*champion, history) : nlohmann::json()},
         {"torn_tail", history.torn_tail}});
    return ExitCode::kDone;
  }
  std::printf("run       %s (%s), %s\n", history.run.c_str(),
              escape_for_terminal(history.target_name).c_str(), phase.c_str());
  if (history.ended) std::printf("ended     %s\n", history.ended->c_str());
  std::printf("base      %s (%s)\n", history.base_commit.c_str(),
              escape_for_terminal(history.base_ref).c_str());
  std::printf("variants  %s\n",
              fmt::format("{} generated ({} refused, {} duplicate), {} judged, {} accepted{}",
                          history.generated, history.refused, history.duplicate, judged,
                          count_state(history, "accepted"),
                          under_way > 0 ? fmt::format(", {} under way", under_way) : "")
                  .c_str());
  if (champion != nullptr) {
    std::printf("champion  %s  %s\n          %s\n", champion->id.c_str(),
                headline(*champion, history).c_str(),
                escape_for_terminal(champion->purpose).c_str());
  } else {
    std::printf("champion  none: nothing better than the base yet\n");
  }
  if (phase == "cut off" || history.ended == "interrupted") {
    std::printf("next      instar resume %s\n", history.run.c_str());
  }
  return ExitCode::kDone;
}

}  // namespace

Action declare_status(CLI::App& app, const Globals& globals) {
  const auto run = std::make_shared<std::string>();
  app.add_option("RUN", *run);
  return [run, &globals] { return status(*run, globals); };
}

}  // namespace instar::cli
