#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "checkpoints/run_directory.h"
#include "engine/evaluation/evaluation.h"
#include "engine/run/run_state.h"

namespace instar::engine {

/// Where a kept patch lies: which segment file, and where in it.
struct PatchPlace {
  std::string segment;  ///< SHA-256, hex
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// One variant of a run as the ledger tells it.
struct HistoryEntry {
  std::uint64_t n = 0;
  std::string id;
  std::string tree;
  std::vector<std::string> parents;  ///< variant ids, or "base"
  std::string generator;
  std::string family;
  std::string purpose;
  std::uint64_t patch_lines = 0;
  std::uint64_t patch_files = 0;
  std::string state = "admitted";  ///< admitted, running, abandoned, rejected, accepted
  std::string verdict;             ///< empty until judged
  std::string reason;
  std::string why;  ///< of the acceptance or rejection
  Metrics metrics;
  std::string commit;        ///< of an accepted one
  std::string time;          ///< of its last record
  std::string crowned_over;  ///< the champion's commit when this one became it; empty: none
  std::optional<PatchPlace> patch;
};

/// A run, derived from its ledger alone.
struct RunHistory {
  std::string run;
  std::string started;
  std::string base_commit;
  std::string base_tree;
  std::string base_ref;  ///< what the user named, or "HEAD"
  std::string policy_sha256;
  std::string target_name;
  std::string level;
  std::string generator;
  std::uint64_t seed = 0;
  std::vector<std::string> objectives;  ///< their metrics, the first decides first
  Metrics baseline;
  std::vector<HistoryEntry> variants;  ///< in order of n
  std::uint64_t generated = 0;         ///< proposals on record, refused and duplicate ones included
  std::uint64_t refused = 0;
  std::uint64_t duplicate = 0;
  std::string champion;       ///< variant id; empty when unchanged
  std::string champion_from;  ///< the commit that its ref stood at before; empty: there was none
  bool champion_by_rollback = false;  ///< its last move was a rollback
  std::vector<PastRollback> rollbacks;
  /// The last result on record may lack a part of its decision: the run was cut off right there.
  bool mid_decision = false;
  std::optional<std::string>
      ended;  ///< how the last stretch ended; nothing: it runs, or was cut off
  bool torn_tail = false;

  [[nodiscard]] const HistoryEntry* find(const std::string& id) const;
};

/// Reads a run's ledger, checking its chain. One that has no record is kNotFound: the run was cut
/// off before it began.
Result<RunHistory> load_history(const checkpoints::RunDirectory& run);

/// The one variant whose id begins with `prefix`; an error when none or several do.
Result<const HistoryEntry*> find_by_prefix(const RunHistory& history, const std::string& prefix);

}  // namespace instar::engine
