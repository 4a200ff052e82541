#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "checkpoints/ledger.h"
#include "checkpoints/object_id.h"
#include "checkpoints/segments.h"

namespace instar::checkpoints {

// The records that checkpoints themselves depend on, as they are read back. Each decoder takes a
// record of its type; a field that is missing or of another type is kIntegrity. Fields that are not
// named here are the engine's.

/// run_started {level, policy_sha256, target_sha256, base_commit, base_tree}
struct RunStarted {
  std::string level;
  std::string policy_sha256;
  std::string target_sha256;
  CommitId base_commit;
  TreeId base_tree;
};
Result<RunStarted> decode_run_started(const LedgerRecord& record);

/// admitted {variant, generator}
struct Admitted {
  std::string variant;
  std::string generator;
};
Result<Admitted> decode_admitted(const LedgerRecord& record);

/// judged {variant, verdict, evaluation: {metrics}}
struct Judged {
  std::string variant;
  std::string verdict;
  std::vector<std::pair<std::string, std::string>> metrics;  ///< as trailers tell them
};
Result<Judged> decode_judged(const LedgerRecord& record);

/// accepted {variant, commit, tree, ref, parents: [commit], judged: {seq, sha256}}
struct Accepted {
  std::string variant;
  CommitId commit;
  TreeId tree;
  std::string ref;
  std::vector<CommitId> parents;
  LedgerPosition judged;
};
Result<Accepted> decode_accepted(const LedgerRecord& record);

/// champion {from: commit or null, to: commit}, and rollback of the same form
struct ChampionMove {
  std::optional<CommitId> from;
  CommitId to;
};
Result<ChampionMove> decode_champion_move(const LedgerRecord& record);

/// segment {hash, entries: [{name, offset, size}]}
Result<Segment> decode_segment(const LedgerRecord& record);

}  // namespace instar::checkpoints
