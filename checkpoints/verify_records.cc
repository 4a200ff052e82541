#include "checkpoints/verify_records.h"

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "checkpoints/ref_names.h"
#include "checkpoints/segments.h"

namespace instar::checkpoints {

namespace {

constexpr std::size_t kLargestPinned = 16UL << 20;

/// Records that may stand last in a ledger before the refs have followed them; a run that is
/// resumed moves the refs only after it has said so.
bool may_precede_refs(const std::string& type) {
  return type == "accepted" || type == "champion" || type == "rollback" || type == "resumed";
}

}  // namespace

void Findings::broken(std::uint64_t seq, const std::string& text) {
  report_.findings.push_back({Severity::kBreak, seq, escape_for_terminal(text)});
}

void Findings::note(std::uint64_t seq, const std::string& text) {
  report_.findings.push_back({Severity::kNote, seq, escape_for_terminal(text)});
}

RecordCheck::RecordCheck(CheckpointStore& store, const RunDirectory& run,
                         const LedgerContents& ledger, std::uint64_t anchored, VerifyReport& report)
    : store_(store), run_(run), ledger_(ledger), report_(report), findings_(report) {
  pending_from_seq_ = ledger.records.size() + 1;
  while (pending_from_seq_ > anchored + 1 &&
         may_precede_refs(ledger.records[pending_from_seq_ - 2].type)) {
    --pending_from_seq_;
  }
}

void RecordCheck::check_pinned(const std::filesystem::path& file, const std::string& sha256_hex) {
  const auto bytes = read_file(file, kLargestPinned);
  if (!bytes) {
    findings_.broken(
        1, "the pinned " + file.filename().string() + " cannot be read: " + bytes.error().message);
  } else if (sha256(*bytes).hex() != sha256_hex) {
    findings_.broken(
        1, "the pinned " + file.filename().string() + " is not the one that the run began with");
  }
}

void RecordCheck::check_start() {
  if (ledger_.records.empty()) {
    findings_.note(0, "the run was cut off before its first record");
    return;
  }
  if (ledger_.records.front().type != "run_started") {
    findings_.broken(1, "the ledger does not begin with `run_started`");
    return;
  }
  if (ledger_.run != run_.run().str()) findings_.broken(1, "it is the ledger of another run");
  const auto start = decode_run_started(ledger_.records.front());
  if (!start) {
    findings_.broken(1, start.error().message);
    return;
  }
  start_ = *start;
  check_pinned(run_.policy_file(), start_->policy_sha256);
  check_pinned(run_.target_file(), start_->target_sha256);
  const auto base = store_.commit_info(start_->base_commit);
  if (!base) {
    findings_.broken(1, "the base commit cannot be read: " + base.error().message);
  } else if (base->tree != start_->base_tree) {
    findings_.broken(1, "the base commit has another tree than its record");
  }
  known_commits_.insert(start_->base_commit);
}

void RecordCheck::check_judged(std::uint64_t seq, const Accepted& accepted,
                               const CheckpointTrailers& trailers) {
  const LedgerPosition& at = accepted.judged;
  const bool exists = at.seq > 0 && at.seq < seq;
  const LedgerRecord* record = exists ? &ledger_.records[at.seq - 1] : nullptr;
  if (record == nullptr || record->position.hash != at.hash || record->type != "judged") {
    findings_.broken(seq, "the `judged` record that it names is not in the ledger");
    return;
  }
  const auto judged = decode_judged(*record);
  if (!judged) {
    findings_.broken(at.seq, judged.error().message);
  } else if (judged->variant != accepted.variant) {
    findings_.broken(seq, "the `judged` record that it names is of another variant");
  } else if (judged->verdict != trailers.verdict) {
    findings_.broken(seq, "the commit's verdict is not the recorded one");
  } else if (judged->metrics != trailers.metrics) {
    findings_.broken(seq, "the commit's metrics are not the recorded ones");
  }
}

void RecordCheck::check_trailers(std::uint64_t seq, const Accepted& accepted,
                                 const std::string& message) {
  const auto trailers = parse_trailers(message);
  if (!trailers) {
    findings_.broken(seq, "commit " + accepted.commit.hex() + ": " + trailers.error().message);
    return;
  }
  const auto differs = [&](const char* name) {
    findings_.broken(seq, "commit " + accepted.commit.hex() + ": its trailer Instar-" + name +
                              " is not what the ledger says");
  };
  if (trailers->run != run_.run().str()) differs("Run");
  if (trailers->variant != accepted.variant) differs("Variant");
  if (start_ && trailers->policy != start_->policy_sha256) differs("Policy");
  if (start_ && trailers->level != start_->level) differs("Level");
  const auto generator = generators_.find(accepted.variant);
  if (generator == generators_.end()) {
    findings_.broken(seq, "variant " + accepted.variant + " was never admitted");
  } else if (trailers->generator != generator->second) {
    differs("Generator");
  }
  if (trailers->judged.seq != accepted.judged.seq ||
      trailers->judged.hash != accepted.judged.hash) {
    differs("Ledger");
  }
  check_judged(seq, accepted, *trailers);
}

/// A checkpoint whose files cannot be read is lost, whatever its ids say.
void RecordCheck::check_content(std::uint64_t seq, const TreeId& tree) {
  if (!start_) return;
  const auto deltas = store_.diff(start_->base_tree, tree);
  if (!deltas) {
    findings_.broken(seq, "the tree cannot be read: " + deltas.error().message);
    return;
  }
  for (const TreeDelta& delta : *deltas) {
    if (!delta.after || delta.after->mode == FileMode::kGitlink) continue;
    const auto content = store_.read(delta.after->blob);
    if (!content)
      findings_.broken(seq, delta.path() + " cannot be read: " + content.error().message);
  }
}

void RecordCheck::check_commit(std::uint64_t seq, const Accepted& accepted) {
  const auto commit = store_.commit_info(accepted.commit);
  if (!commit) {
    findings_.broken(seq, "the commit cannot be read: " + commit.error().message);
    return;
  }
  ++report_.accepted;
  if (commit->tree != accepted.tree) {
    findings_.broken(seq, "commit " + accepted.commit.hex() + " has another tree than its record");
  }
  if (commit->parents != accepted.parents) {
    findings_.broken(seq, "commit " + accepted.commit.hex() + " has other parents than its record");
  }
  for (const CommitId& parent : commit->parents) {
    if (!known_commits_.contains(parent)) {
      findings_.broken(seq,
                       "the parent " + parent.hex() + " is neither the base nor accepted before");
    }
  }
  check_trailers(seq, accepted, commit->message);
  check_content(seq, commit->tree);
}

void RecordCheck::check_admitted(const LedgerRecord& record) {
  const auto admitted = decode_admitted(record);
  if (!admitted) return findings_.broken(record.position.seq, admitted.error().message);
  generators_[admitted->variant] = admitted->generator;
}

void RecordCheck::check_accepted(const LedgerRecord& record) {
  const std::uint64_t seq = record.position.seq;
  const auto accepted = decode_accepted(record);
  if (!accepted) return findings_.broken(seq, accepted.error().message);
  check_commit(seq, *accepted);
  known_commits_.insert(accepted->commit);
  if (accepted->ref != variant_ref(run_.run().str(), accepted->variant)) {
    findings_.broken(seq, "its ref is not the one of its variant");
  }
  if (refs_.contains(accepted->ref)) findings_.broken(seq, "the variant was accepted before");
  ExpectedRef ref{.seq = seq, .target = accepted->commit.hex(), .pending_from = std::nullopt};
  if (seq >= pending_from_seq_) ref.pending_from = "";
  refs_[accepted->ref] = ref;
}

void RecordCheck::check_champion(const LedgerRecord& record) {
  const std::uint64_t seq = record.position.seq;
  const auto move = decode_champion_move(record);
  if (!move) return findings_.broken(seq, move.error().message);
  if (move->from != report_.champion)
    findings_.broken(seq, "it does not start from the champion before it");
  if (!known_commits_.contains(move->to))
    findings_.broken(seq, "the new champion was never accepted");
  ExpectedRef& ref = refs_[champion_ref(run_.run().str())];
  const bool first_pending = seq >= pending_from_seq_ && !ref.pending_from;
  if (first_pending) ref.pending_from = ref.target;
  ref.seq = seq;
  ref.target = move->to.hex();
  report_.champion = move->to;
}

void RecordCheck::check_segment(const LedgerRecord& record) {
  const std::uint64_t seq = record.position.seq;
  const auto segment = decode_segment(record);
  if (!segment) return findings_.broken(seq, segment.error().message);
  SegmentReader reader(run_.segments());
  for (const SegmentEntry& entry : segment->entries) {
    const auto text = reader.read(segment->hash, entry.offset, entry.size);
    if (text) continue;
    if (text.error().code == ErrorCode::kNotFound) return findings_.note(seq, text.error().message);
    return findings_.broken(seq, text.error().message);
  }
}

void RecordCheck::check_record(const LedgerRecord& record) {
  if (record.type == "admitted") check_admitted(record);
  if (record.type == "accepted") check_accepted(record);
  if (record.type == "champion" || record.type == "rollback") check_champion(record);
  if (record.type == "segment") check_segment(record);
}

void RecordCheck::check_all() {
  check_start();
  for (const LedgerRecord& record : ledger_.records) check_record(record);
}

}  // namespace instar::checkpoints
