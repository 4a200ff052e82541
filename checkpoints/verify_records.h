#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "checkpoints/ledger.h"
#include "checkpoints/message.h"
#include "checkpoints/records.h"
#include "checkpoints/run_directory.h"
#include "checkpoints/store.h"
#include "checkpoints/verify.h"

namespace instar::checkpoints {

/// Collects what is found, its text made harmless for a terminal.
class Findings {
 public:
  explicit Findings(VerifyReport& report) : report_(report) {}
  void broken(std::uint64_t seq, const std::string& text);
  void note(std::uint64_t seq, const std::string& text);

 private:
  VerifyReport& report_;
};

/// A ref that the ledger asks for.
struct ExpectedRef {
  std::uint64_t seq = 0;
  std::string target;
  /// Where it may still stand: its record is among the last ones, and a crash may have come before
  /// the ref was moved. Empty: it may not exist yet.
  std::optional<std::string> pending_from;
};

/// Compares the records of a run, one after the other, with the pinned files, commits, trees and
/// segments that they name; learns which refs there must be.
class RecordCheck {
 public:
  /// `anchored`: the record that the anchor stands at. Refs had followed all records up to there.
  RecordCheck(CheckpointStore& store, const RunDirectory& run, const LedgerContents& ledger,
              std::uint64_t anchored, VerifyReport& report);
  void check_all();
  [[nodiscard]] const std::map<std::string, ExpectedRef>& refs() const { return refs_; }

 private:
  void check_start();
  void check_pinned(const std::filesystem::path& file, const std::string& sha256_hex);
  void check_record(const LedgerRecord& record);
  void check_admitted(const LedgerRecord& record);
  void check_accepted(const LedgerRecord& record);
  void check_commit(std::uint64_t seq, const Accepted& accepted);
  void check_trailers(std::uint64_t seq, const Accepted& accepted, const std::string& message);
  void check_judged(std::uint64_t seq, const Accepted& accepted,
                    const CheckpointTrailers& trailers);
  void check_content(std::uint64_t seq, const TreeId& tree);
  void check_champion(const LedgerRecord& record);
  void check_segment(const LedgerRecord& record);

  CheckpointStore& store_;
  const RunDirectory& run_;
  const LedgerContents& ledger_;
  VerifyReport& report_;
  Findings findings_;
  std::uint64_t pending_from_seq_ = 0;  ///< the refs of this record and later ones may lag behind
  std::optional<RunStarted> start_;
  std::map<std::string, std::string> generators_;  ///< by admitted variant
  std::set<CommitId> known_commits_;               ///< the base and what was accepted so far
  std::map<std::string, ExpectedRef> refs_;
};

}  // namespace instar::checkpoints
