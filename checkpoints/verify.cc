#include "checkpoints/verify.h"

#include <algorithm>
#include <filesystem>

#include "checkpoints/anchor.h"
#include "checkpoints/ledger.h"
#include "checkpoints/verify_records.h"
#include "checkpoints/verify_refs.h"

namespace instar::checkpoints {

bool VerifyReport::intact() const {
  return std::ranges::none_of(
      findings, [](const Finding& finding) { return finding.severity == Severity::kBreak; });
}

namespace {

Result<VerifyReport> look_at(CheckpointStore& store, const RunDirectory& run) {
  VerifyReport report;
  auto ledger = read_ledger(run.ledger_file());
  // A run that was cut off before its first record has no ledger, no ref and no anchor. Where one
  // of those is there, it shows below that the ledger is not.
  if (!ledger && ledger.error().code == ErrorCode::kNotFound) ledger = LedgerContents{};
  if (!ledger) {
    if (ledger.error().code != ErrorCode::kIntegrity) return fail(ledger.error());
    report.findings.push_back({Severity::kBreak, 0, ledger.error().message});
    return report;
  }
  Findings findings(report);
  report.records = ledger->records.size();
  if (ledger->torn_tail) {
    findings.note(report.records,
                  "the ledger ends in a torn record: a crash came while it was written");
  }
  const auto anchor = read_anchor(store, run.run().str());
  const std::uint64_t anchored = anchor && *anchor ? (*anchor)->seq : 0;
  RecordCheck records(store, run, *ledger, std::min(anchored, report.records), report);
  records.check_all();
  check_anchor(anchor, *ledger, findings);
  INSTAR_CHECK(check_refs(store, run.run().str(), records.refs(), findings));
  return report;
}

std::uintmax_t ledger_size(const RunDirectory& run) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(run.ledger_file(), missing);
  return missing ? 0 : size;
}

}  // namespace

Result<VerifyReport> verify_run(CheckpointStore& store, const RunDirectory& run) {
  // An engine at work moves refs between our look at its ledger and our look at them.
  constexpr int kLooks = 10;
  for (int i = 0; i < kLooks; ++i) {
    const auto before = ledger_size(run);
    auto report = INSTAR_TRY(look_at(store, run));
    if (report.intact() || ledger_size(run) <= before) return report;
  }
  return fail(ErrorCode::kBusy,
              "run " + run.run().str() + " is being written faster than it can be looked at",
              "wait for it, or stop it: `instar status " + run.run().str() + "`");
}

}  // namespace instar::checkpoints
