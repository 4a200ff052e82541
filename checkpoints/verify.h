#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "checkpoints/object_id.h"
#include "checkpoints/run_directory.h"
#include "checkpoints/store.h"

namespace instar::checkpoints {

enum class Severity {
  kNote,   ///< worth knowing; nothing contradicts the record
  kBreak,  ///< a ledger, a commit, a ref or a pinned file is not what the record says
};

struct Finding {
  Severity severity = Severity::kBreak;
  std::uint64_t seq = 0;  ///< of the record it is about; 0: of none
  std::string text;       ///< what, and why
};

struct VerifyReport {
  std::uint64_t records = 0;
  std::uint64_t accepted = 0;  ///< checkpoints whose commit was compared with its record
  std::optional<CommitId> champion;
  std::vector<Finding> findings;
  [[nodiscard]] bool intact() const;
};

/// Compares everything that a run left with its ledger: the chain, the anchor, the pinned policy
/// and target, the base, each accepted commit (tree, parents, every trailer, content that can be
/// read), the order of champions, the segments that are still there, the refs, and that no other
/// ref stands among them. Changes nothing. What is wrong with the run is in the report; an error
/// means that it could not be looked at. A run that an engine writes to meanwhile is looked at
/// again.
///
/// Not shown: a tail that was cut off or added behind the last anchor and that no commit names; and
/// a change by someone who rewrites ledger, commits and refs all together.
Result<VerifyReport> verify_run(CheckpointStore& store, const RunDirectory& run);

}  // namespace instar::checkpoints
