#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "checkpoints/ledger.h"
#include "checkpoints/store.h"
#include "engine/run/journal.h"
#include "engine/run/run_state.h"

namespace instar::engine {

/// What every commit of a run says about the run.
struct RunIdentity {
  std::string run;
  checkpoints::CommitId base_commit;
  std::string policy_sha256;
  std::string level;
};

/// A decision that waits to become a checkpoint.
struct Decision {
  const Variant* variant = nullptr;
  const Evaluation* evaluation = nullptr;
  checkpoints::CommitId parent_commit;
  std::string why;                             ///< "tests.failed 3 -> 1 against base"
  checkpoints::LedgerPosition judged;          ///< the line that the commit's trailer names
  std::chrono::system_clock::time_point time;  ///< of that line
};

/// Turns a decision into a checkpoint in the one order that loses nothing: the judged record is
/// synced; objects are written, unreferenced; `accepted` is recorded and synced; the refs move by
/// compare-and-swap. Repeating it gives the same ids and moves nothing twice.
class Acceptance {
 public:
  Acceptance(RunIdentity identity, checkpoints::CheckpointStore& store, Journal& journal);

  Result<checkpoints::CommitId> commit(const Decision& decision);
  /// Moves `champion` to an accepted variant's commit; `from` is nothing for the first one.
  Result<void> crown(const Variant& variant, const checkpoints::CommitId& to,
                     const std::optional<checkpoints::CommitId>& from);
  /// Repeats the effect of rollback number `number` on record, from 1: `champion` moves.
  Result<void> repeat_rollback(std::size_t number, const checkpoints::CommitId& to,
                               const checkpoints::CommitId& from);

 private:
  RunIdentity identity_;
  checkpoints::CheckpointStore& store_;
  Journal& journal_;
};

}  // namespace instar::engine
