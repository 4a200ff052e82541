#include "checkpoints/verify_refs.h"

#include <algorithm>

#include "checkpoints/ref_names.h"

namespace instar::checkpoints {

Result<void> check_refs(CheckpointStore& store, const std::string& run,
                        const std::map<std::string, ExpectedRef>& expected_refs,
                        Findings& findings) {
  std::map<std::string, std::string> actual;
  const auto refs = INSTAR_TRY(store.refs(run_ref_prefix(run)));
  for (const Ref& ref : refs) actual[ref.name] = ref.target_hex;
  for (const auto& [name, expected] : expected_refs) {
    const auto found = actual.find(name);
    const std::string at = found == actual.end() ? "" : found->second;
    if (found != actual.end()) actual.erase(found);
    if (at == expected.target) continue;
    const std::string text =
        name + " is " + (at.empty() ? "missing" : "at " + at) + ", not at " + expected.target;
    if (expected.pending_from == at) {
      findings.note(
          expected.seq,
          text + ": the run was cut short there; `instar resume` or `instar rollback` moves it");
    } else {
      findings.broken(expected.seq, text);
    }
  }
  actual.erase(anchor_ref(run));
  for (const auto& [name, target] : actual) {
    findings.broken(0, "the ref " + name + " is not in the ledger");
  }
  return {};
}

void check_anchor(const Result<std::optional<LedgerPosition>>& anchor, const LedgerContents& ledger,
                  Findings& findings) {
  if (!anchor) return findings.broken(0, anchor.error().message);
  const bool ended = std::ranges::any_of(ledger.records,
                                         [](const auto& each) { return each.type == "run_ended"; });
  if (!anchor->has_value()) {
    if (ended) {
      findings.broken(ledger.records.size(),
                      "the run has ended but has no anchor: somebody deleted it");
    } else {
      findings.note(0, "there is no anchor yet: a tail that was cut off would not show");
    }
    return;
  }
  const LedgerPosition& at = **anchor;
  if (at.seq > ledger.records.size()) {
    return findings.broken(0, "the anchor stands at record " + std::to_string(at.seq) +
                                  ", but the ledger ends before it: its tail was cut off");
  }
  if (at.seq == 0 || ledger.records[at.seq - 1].position.hash != at.hash) {
    return findings.broken(at.seq, "the record is not the one that the anchor names");
  }
  const auto behind = ledger.records.size() - at.seq;
  if (behind > 0) {
    findings.note(at.seq, "the anchor stands here: a cut among the " + std::to_string(behind) +
                              " records after it would not show");
  }
}

}  // namespace instar::checkpoints
