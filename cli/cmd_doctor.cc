#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "isolation/host_probes.h"
#include "isolation/level_available.h"

namespace instar::cli {

namespace {

using isolation::Probe;
using isolation::ProbeStatus;

void print_for_person(const std::vector<Probe>& probes) {
  for (const Probe& probe : probes) {
    std::printf("%s  %-16s %s\n", std::string(to_string(probe.status)).c_str(), probe.name.c_str(),
                probe.detail.c_str());
    if (!probe.fix.empty()) std::printf("      %-16s to mend: %s\n", "", probe.fix.c_str());
  }
  const auto available = isolation::level_available();
  std::printf("\nStrongest level: %s (%s)\n\nA guarded cell does not stop:\n",
              available.level ? std::string(to_string(*available.level)).c_str() : "none",
              available.reason.c_str());
  for (const auto& sentence : isolation::not_stopped_by_guarded()) {
    std::printf("  - %s\n", sentence.c_str());
  }
}

void print_for_program(const std::vector<Probe>& probes) {
  nlohmann::json checks = nlohmann::json::array();
  for (const Probe& probe : probes) {
    checks.push_back({{"name", probe.name},
                      {"status", to_string(probe.status)},
                      {"detail", probe.detail},
                      {"fix", probe.fix}});
  }
  const auto available = isolation::level_available();
  nlohmann::json level = nullptr;
  if (available.level) level = to_string(*available.level);
  print_json({{"checks", std::move(checks)},
              {"level", std::move(level)},
              {"not_stopped", isolation::not_stopped_by_guarded()}});
}

}  // namespace

Action declare_doctor(CLI::App&, const Globals& globals) {
  return [&globals]() -> Result<ExitCode> {
    const auto probes = isolation::probe_host();
    if (globals.json) {
      print_for_program(probes);
    } else {
      print_for_person(probes);
    }
    for (const Probe& probe : probes) {
      if (probe.status == ProbeStatus::kFail) return ExitCode::kHostCannot;
    }
    return ExitCode::kDone;
  };
}

}  // namespace instar::cli
