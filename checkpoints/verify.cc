#include "checkpoints/verify.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "checkpoints/anchor.h"
#include "checkpoints/ledger.h"
#include "checkpoints/message.h"
#include "checkpoints/records.h"
#include "checkpoints/ref_names.h"
#include "checkpoints/segments.h"

namespace instar::checkpoints {

bool VerifyReport::intact() const {
  return std::ranges::none_of(
      findings, [](const Finding& finding) { return finding.severity == Severity::kBreak; });
}

namespace {

constexpr std::size_t kLargestPinned = 16UL << 20;

/// Records that may stand last in a ledger before the refs have followed them; a run that is
/// resumed moves the refs only after it has said so.
bool may_precede_refs(const std::string& type) {
  return type == "accepted" || type == "champion" || type == "rollback" || type == "resumed";
}

/// A ref that the ledger asks for.
struct ExpectedRef {
  std::uint64_t seq = 0;
  std::string target;
  /// Where it may still stand: its record is among the last ones, and a crash may have come before
  /// the ref was moved. Empty: it may not exist yet.
  std::optional<std::string> pending_from;
};

class Verifier {
 public:
  Verifier(CheckpointStore& store, const RunDirectory& run, const LedgerContents& ledger,
           VerifyReport& report);
  Result<void> verify();

 private:
  void broken(std::uint64_t seq, const std::string& text);
  void note(std::uint64_t seq, const std::string& text);
  void check_start();
  void check_pinned(const std::filesystem::path& file, const std::string& sha256_hex);
  void check_record(const LedgerRecord& record);
  void check_accepted(const LedgerRecord& record);
  void check_commit(std::uint64_t seq, const Accepted& accepted);
  void check_trailers(std::uint64_t seq, const Accepted& accepted, const std::string& message);
  void check_judged(std::uint64_t seq, const Accepted& accepted, const std::string& verdict);
  void check_content(std::uint64_t seq, const TreeId& tree);
  void check_champion(const LedgerRecord& record);
  void check_segment(const LedgerRecord& record);
  Result<void> check_refs();
  void check_anchor();

  CheckpointStore& store_;
  const RunDirectory& run_;
  const LedgerContents& ledger_;
  VerifyReport& report_;
  std::uint64_t pending_from_seq_ = 0;  ///< the refs of this record and later ones may lag behind
  std::optional<RunStarted> start_;
  std::set<CommitId> known_commits_;  ///< the base and what was accepted so far
  std::map<std::string, ExpectedRef> refs_;
};

Verifier::Verifier(CheckpointStore& store, const RunDirectory& run, const LedgerContents& ledger,
                   VerifyReport& report)
    : store_(store), run_(run), ledger_(ledger), report_(report) {
  pending_from_seq_ = ledger.records.size() + 1;
  while (pending_from_seq_ > 1 && may_precede_refs(ledger.records[pending_from_seq_ - 2].type)) {
    --pending_from_seq_;
  }
}

void Verifier::broken(std::uint64_t seq, const std::string& text) {
  report_.findings.push_back({Severity::kBreak, seq, escape_for_terminal(text)});
}

void Verifier::note(std::uint64_t seq, const std::string& text) {
  report_.findings.push_back({Severity::kNote, seq, escape_for_terminal(text)});
}

void Verifier::check_pinned(const std::filesystem::path& file, const std::string& sha256_hex) {
  const auto bytes = read_file(file, kLargestPinned);
  if (!bytes) {
    broken(1,
           "the pinned " + file.filename().string() + " cannot be read: " + bytes.error().message);
  } else if (sha256(*bytes).hex() != sha256_hex) {
    broken(1, "the pinned " + file.filename().string() + " is not the one that the run began with");
  }
}

void Verifier::check_start() {
  if (ledger_.records.empty() || ledger_.records.front().type != "run_started") {
    broken(1, "the ledger does not begin with `run_started`");
    return;
  }
  if (ledger_.run != run_.run().str()) broken(1, "it is the ledger of another run");
  const auto start = decode_run_started(ledger_.records.front());
  if (!start) {
    broken(1, start.error().message);
    return;
  }
  start_ = *start;
  check_pinned(run_.policy_file(), start_->policy_sha256);
  check_pinned(run_.target_file(), start_->target_sha256);
  const auto base = store_.commit_info(start_->base_commit);
  if (!base) {
    broken(1, "the base commit cannot be read: " + base.error().message);
  } else if (base->tree != start_->base_tree) {
    broken(1, "the base commit has another tree than its record");
  }
  known_commits_.insert(start_->base_commit);
}

void Verifier::check_judged(std::uint64_t seq, const Accepted& accepted,
                            const std::string& verdict) {
  const LedgerPosition& at = accepted.judged;
  const bool exists = at.seq > 0 && at.seq < seq;
  const LedgerRecord* record = exists ? &ledger_.records[at.seq - 1] : nullptr;
  if (record == nullptr || record->position.hash != at.hash || record->type != "judged") {
    broken(seq, "the `judged` record that it names is not in the ledger");
    return;
  }
  const auto judged = decode_judged(*record);
  if (!judged) {
    broken(at.seq, judged.error().message);
  } else if (judged->variant != accepted.variant) {
    broken(seq, "the `judged` record that it names is of another variant");
  } else if (judged->verdict != verdict) {
    broken(seq, "the commit's verdict is not the recorded one");
  }
}

void Verifier::check_trailers(std::uint64_t seq, const Accepted& accepted,
                              const std::string& message) {
  const auto trailers = parse_trailers(message);
  if (!trailers) {
    broken(seq, "commit " + accepted.commit.hex() + ": " + trailers.error().message);
    return;
  }
  const auto differs = [&](const char* name) {
    broken(seq, "commit " + accepted.commit.hex() + ": its trailer Instar-" + name +
                    " is not what the ledger says");
  };
  if (trailers->run != run_.run().str()) differs("Run");
  if (trailers->variant != accepted.variant) differs("Variant");
  if (start_ && trailers->policy != start_->policy_sha256) differs("Policy");
  if (trailers->judged.seq != accepted.judged.seq ||
      trailers->judged.hash != accepted.judged.hash) {
    differs("Ledger");
  }
  check_judged(seq, accepted, trailers->verdict);
}

/// A checkpoint whose files cannot be read is lost, whatever its ids say.
void Verifier::check_content(std::uint64_t seq, const TreeId& tree) {
  if (!start_) return;
  const auto deltas = store_.diff(start_->base_tree, tree);
  if (!deltas) {
    broken(seq, "the tree cannot be read: " + deltas.error().message);
    return;
  }
  for (const TreeDelta& delta : *deltas) {
    if (!delta.after || delta.after->mode == FileMode::kGitlink) continue;
    const auto content = store_.read(delta.after->blob);
    if (!content) broken(seq, delta.path() + " cannot be read: " + content.error().message);
  }
}

void Verifier::check_commit(std::uint64_t seq, const Accepted& accepted) {
  const auto commit = store_.commit_info(accepted.commit);
  if (!commit) {
    broken(seq, "the commit cannot be read: " + commit.error().message);
    return;
  }
  ++report_.accepted;
  if (commit->tree != accepted.tree) {
    broken(seq, "commit " + accepted.commit.hex() + " has another tree than its record");
  }
  if (commit->parents != accepted.parents) {
    broken(seq, "commit " + accepted.commit.hex() + " has other parents than its record");
  }
  for (const CommitId& parent : commit->parents) {
    if (!known_commits_.contains(parent)) {
      broken(seq, "the parent " + parent.hex() + " is neither the base nor accepted before");
    }
  }
  check_trailers(seq, accepted, commit->message);
  check_content(seq, commit->tree);
}

void Verifier::check_accepted(const LedgerRecord& record) {
  const std::uint64_t seq = record.position.seq;
  const auto accepted = decode_accepted(record);
  if (!accepted) return broken(seq, accepted.error().message);
  check_commit(seq, *accepted);
  known_commits_.insert(accepted->commit);
  if (accepted->ref != variant_ref(run_.run().str(), accepted->variant)) {
    broken(seq, "its ref is not the one of its variant");
  }
  if (refs_.contains(accepted->ref)) broken(seq, "the variant was accepted before");
  ExpectedRef ref{.seq = seq, .target = accepted->commit.hex(), .pending_from = std::nullopt};
  if (seq >= pending_from_seq_) ref.pending_from = "";
  refs_[accepted->ref] = ref;
}

void Verifier::check_champion(const LedgerRecord& record) {
  const std::uint64_t seq = record.position.seq;
  const auto move = decode_champion_move(record);
  if (!move) return broken(seq, move.error().message);
  if (move->from != report_.champion) broken(seq, "it does not start from the champion before it");
  if (!known_commits_.contains(move->to)) broken(seq, "the new champion was never accepted");
  ExpectedRef& ref = refs_[champion_ref(run_.run().str())];
  const bool first_pending = seq >= pending_from_seq_ && !ref.pending_from;
  if (first_pending) ref.pending_from = ref.target;
  ref.seq = seq;
  ref.target = move->to.hex();
  report_.champion = move->to;
}

void Verifier::check_segment(const LedgerRecord& record) {
  const std::uint64_t seq = record.position.seq;
  const auto segment = decode_segment(record);
  if (!segment) return broken(seq, segment.error().message);
  SegmentReader reader(run_.segments());
  for (const SegmentEntry& entry : segment->entries) {
    const auto text = reader.read(segment->hash, entry.offset, entry.size);
    if (text) continue;
    if (text.error().code == ErrorCode::kNotFound) return note(seq, text.error().message);
    return broken(seq, text.error().message);
  }
}

void Verifier::check_record(const LedgerRecord& record) {
  if (record.type == "accepted") check_accepted(record);
  if (record.type == "champion" || record.type == "rollback") check_champion(record);
  if (record.type == "segment") check_segment(record);
}

Result<void> Verifier::check_refs() {
  const std::string run = run_.run().str();
  std::map<std::string, std::string> actual;
  const auto refs = INSTAR_TRY(store_.refs(run_ref_prefix(run)));
  for (const Ref& ref : refs) actual[ref.name] = ref.target_hex;
  for (const auto& [name, expected] : refs_) {
    const auto found = actual.find(name);
    const std::string at = found == actual.end() ? "" : found->second;
    if (found != actual.end()) actual.erase(found);
    if (at == expected.target) continue;
    const std::string text =
        name + " is " + (at.empty() ? "missing" : "at " + at) + ", not at " + expected.target;
    if (expected.pending_from == at) {
      note(expected.seq, text + ": the run was cut short there; `instar resume` moves it");
    } else {
      broken(expected.seq, text);
    }
  }
  actual.erase(anchor_ref(run));
  for (const auto& [name, target] : actual) {
    broken(0, "the ref " + name + " is not in the ledger");
  }
  return {};
}

void Verifier::check_anchor() {
  const auto anchor = read_anchor(store_, run_.run().str());
  if (!anchor) return broken(0, anchor.error().message);
  const bool ended = !ledger_.records.empty() && ledger_.records.back().type == "run_ended";
  if (!anchor->has_value()) {
    if (ended) {
      broken(ledger_.records.size(),
             "the run has ended but has no anchor: somebody deleted it, or a crash came just "
             "before it was written");
    } else {
      note(0, "there is no anchor yet: a tail that was cut off would not show");
    }
    return;
  }
  const LedgerPosition& at = (*anchor)->position;
  if (at.seq > ledger_.records.size()) {
    return broken(0, "the anchor stands at record " + std::to_string(at.seq) +
                         ", but the ledger ends before it: its tail was cut off");
  }
  if (at.seq == 0 || ledger_.records[at.seq - 1].position.hash != at.hash) {
    return broken(at.seq, "the record is not the one that the anchor names");
  }
  const auto behind = ledger_.records.size() - at.seq;
  if (behind > 0) {
    note(at.seq, "the anchor stands here: a cut among the " + std::to_string(behind) +
                     " records after it would not show");
  }
}

Result<void> Verifier::verify() {
  report_.records = ledger_.records.size();
  if (ledger_.torn_tail) {
    note(ledger_.records.size(),
         "the ledger ends in a torn record: a crash came while it was written");
  }
  check_start();
  for (const LedgerRecord& record : ledger_.records) check_record(record);
  check_anchor();
  return check_refs();
}

}  // namespace

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
  Verifier verifier(store, run, *ledger, report);
  INSTAR_CHECK(verifier.verify());
  return report;
}

}  // namespace instar::checkpoints
