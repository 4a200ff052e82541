#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "checkpoints/git_store.h"
#include "checkpoints/verify.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/run_lookup.h"

namespace instar::cli {

namespace {

const char* name_of(checkpoints::Severity severity) {
  return severity == checkpoints::Severity::kBreak ? "break" : "note";
}

nlohmann::json report_json(const std::string& run, const checkpoints::VerifyReport& report) {
  nlohmann::json findings = nlohmann::json::array();
  for (const auto& finding : report.findings) {
    findings.push_back(
        {{"severity", name_of(finding.severity)}, {"seq", finding.seq}, {"text", finding.text}});
  }
  return {{"run", run},
          {"intact", report.intact()},
          {"records", report.records},
          {"accepted", report.accepted},
          {"champion", report.champion ? nlohmann::json(report.champion->hex()) : nlohmann::json()},
          {"findings", std::move(findings)}};
}

Result<ExitCode> verify(const std::string& name, const Globals& globals) {
  // Not through the history: a broken ledger must be reported, not fail to open.
  const auto repository = INSTAR_TRY(checkpoints::Repository::open(globals.directory));
  const auto directory = INSTAR_TRY(find_run(repository, name));
  const std::string& run = directory.run().str();
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(repository));
  const auto report = INSTAR_TRY(checkpoints::verify_run(*store, directory));
  const ExitCode code = report.intact() ? ExitCode::kDone : ExitCode::kIntegrity;
  if (globals.json) {
    print_json(report_json(run, report));
    return code;
  }
  for (const auto& finding : report.findings) {
    std::printf("%-6s %s\n", name_of(finding.severity), escape_for_terminal(finding.text).c_str());
  }
  std::printf("run %s: %s: %llu records, %llu checkpoints\n", run.c_str(),
              report.intact() ? "intact" : "NOT as recorded",
              static_cast<unsigned long long>(report.records),
              static_cast<unsigned long long>(report.accepted));
  return code;
}

}  // namespace

Action declare_verify(CLI::App& app, const Globals& globals) {
  const auto run = std::make_shared<std::string>();
  app.add_option("RUN", *run);
  return [run, &globals] { return verify(*run, globals); };
}

}  // namespace instar::cli
