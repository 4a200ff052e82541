#include "checkpoints/verify.h"

#include <algorithm>

#include "checkpoints/ledger.h"
#include "checkpoints/verify_records.h"
#include "checkpoints/verify_refs.h"

namespace instar::checkpoints {

bool VerifyReport::intact() const {
  return std::ranges::none_of(
      findings, [](const Finding& finding) { return finding.severity == Severity::kBreak; });
}

Result<VerifyReport> verify_run(CheckpointStore& store, const RunDirectory& run) {
  VerifyReport report;
  const auto ledger = read_ledger(run.ledger_file());
  if (!ledger) {
    const bool readable =
        ledger.error().code == ErrorCode::kIntegrity || ledger.error().code == ErrorCode::kNotFound;
    if (!readable) return fail(ledger.error());
    report.findings.push_back({Severity::kBreak, 0, ledger.error().message});
    return report;
  }
  Findings findings(report);
  report.records = ledger->records.size();
  if (ledger->torn_tail) {
    findings.note(report.records,
                  "the ledger ends in a torn record: a crash came while it was written");
  }
  RecordCheck records(store, run, *ledger, report);
  records.check_all();
  check_anchor(store, run.run().str(), *ledger, findings);
  INSTAR_CHECK(check_refs(store, run.run().str(), records.refs(), findings));
  return report;
}

}  // namespace instar::checkpoints
