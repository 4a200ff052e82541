#include "engine/run/rollback.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "checkpoints/anchor.h"
#include "checkpoints/git_store.h"
#include "checkpoints/ledger.h"
#include "checkpoints/ref_names.h"
#include "checkpoints/ref_target.h"
#include "engine/run/history.h"
#include "engine/run/intact.h"

namespace instar::engine {

namespace {

using checkpoints::CommitId;

/// The accepted variant of a commit; nothing for the base's, or for none.
const HistoryEntry* accepted_as(const RunHistory& history, const std::string& commit) {
  const auto found = std::find_if(
      history.variants.begin(), history.variants.end(),
      [&](const HistoryEntry& entry) { return !entry.commit.empty() && entry.commit == commit; });
  return found == history.variants.end() ? nullptr : &*found;
}

/// The champion before the present one: where a rollback goes when nobody says where.
Result<const HistoryEntry*> previous_champion(const RunHistory& history) {
  const HistoryEntry* champion = history.find(history.champion);
  const HistoryEntry* before = accepted_as(history, champion->crowned_over);
  if (before != nullptr) return before;
  return fail(ErrorCode::kInvalidInput,
              "run " + history.run + " has no champion before this one: before it was the base",
              "name a VARIANT of `instar log " + history.run + "`");
}

Result<void> require_checkpoint(const RunHistory& history, const HistoryEntry& entry) {
  if (entry.state == "accepted") return {};
  return fail(
      ErrorCode::kRefused,
      "variant " + entry.id + " is no checkpoint of run " + history.run + ": it was not accepted",
      "`instar log " + history.run + "` lists its checkpoints");
}

/// The commit is there and is what the record says: its tree, and its parents back to the base.
Result<void> verify_checkpoint(checkpoints::CheckpointStore& store, const RunHistory& history,
                               const HistoryEntry& entry) {
  const auto broken = [&](const std::string& what) {
    return fail(ErrorCode::kIntegrity,
                "checkpoint " + entry.id + " " + what + "; nothing was changed",
                "`instar verify " + history.run + "` checks the whole run");
  };
  const auto id = CommitId::parse(entry.commit);
  if (!id) return broken("has no commit on record");
  const auto commit = store.commit_info(*id);
  if (!commit) return broken("cannot be read: " + commit.error().message);
  if (commit->tree.hex() != entry.tree) return broken("holds another tree than its record");
  for (std::size_t i = 0; i < entry.parents.size(); ++i) {
    const HistoryEntry* parent = history.find(entry.parents[i]);
    const std::string expected = parent != nullptr ? parent->commit : history.base_commit;
    if (i >= commit->parents.size() || commit->parents[i].hex() != expected) {
      return broken("has other parents than its record");
    }
    if (parent != nullptr) INSTAR_CHECK(verify_checkpoint(store, history, *parent));
  }
  return {};
}

/// The last decision of a run that was cut off in the middle of it is still to come: it would be
/// made after the rollback, from another champion than it was begun with.
Result<void> refuse_in_mid_decision(const RunHistory& history) {
  if (!history.mid_decision) return {};
  return fail(ErrorCode::kRefused,
              "run " + history.run + " was cut off in the middle of a decision",
              "`instar resume " + history.run + "` completes it; then roll back");
}

Result<RolledBack> move_champion(checkpoints::CheckpointStore& store,
                                 const checkpoints::RunDirectory& run, const RunHistory& history,
                                 const HistoryEntry& from, const HistoryEntry& to,
                                 const Clock& clock) {
  const std::string& name = run.run().str();
  auto ledger = INSTAR_TRY(checkpoints::Ledger::open(run.ledger_file(), name, clock));
  INSTAR_TRY(ledger.append("rollback", {{"id", std::to_string(history.rollbacks.size() + 1)},
                                        {"variant", to.id},
                                        {"from", from.commit},
                                        {"to", to.commit}}));
  INSTAR_CHECK(ledger.sync());
  INSTAR_CHECK(store.move_ref(checkpoints::champion_ref(name), to.commit, from.commit));
  INSTAR_CHECK(checkpoints::write_anchor(store, name, ledger.last()));
  return RolledBack{.from = from.id, .to = to.id, .commit = to.commit};
}

/// Moves the champion's ref where the last record of its moves says, when a crash came between the
/// two; tells whether it had to. Only for the holder of the run's lock.
Result<bool> complete_champion_move(checkpoints::CheckpointStore& store,
                                    const RunHistory& history) {
  const std::string ref = checkpoints::champion_ref(history.run);
  const std::string at = INSTAR_TRY(checkpoints::ref_target(store, ref)).value_or("");
  const HistoryEntry* champion = history.find(history.champion);
  const std::string wanted = champion == nullptr ? "" : champion->commit;
  if (at == wanted) return false;
  if (champion == nullptr || at != history.champion_from) {
    return fail(ErrorCode::kIntegrity, ref + " is not where the record of the run says",
                "`instar verify " + history.run + "` checks the whole run");
  }
  INSTAR_CHECK(store.move_ref(ref, wanted, at.empty() ? std::nullopt : std::optional(at)));
  return true;
}

}  // namespace

Result<RolledBack> roll_back(const checkpoints::Repository& repository,
                             const checkpoints::RunDirectory& run,
                             const std::optional<std::string>& variant, const Clock& clock) {
  const auto lock = INSTAR_TRY(run.lock());
  INSTAR_CHECK(require_intact(repository, run));
  const RunHistory history = INSTAR_TRY(load_history(run));
  const HistoryEntry* from = history.find(history.champion);
  if (from == nullptr) {
    return fail(ErrorCode::kInvalidInput, "run " + history.run + " has no champion to roll back",
                "it is unchanged: `instar status " + history.run + "`");
  }
  INSTAR_CHECK(refuse_in_mid_decision(history));
  const HistoryEntry* named = variant ? INSTAR_TRY(find_by_prefix(history, *variant)) : nullptr;
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(repository));
  INSTAR_CHECK(store->clear_stale_locks(history.run));
  const bool completed = INSTAR_TRY(complete_champion_move(*store, history));
  if (completed && history.champion_by_rollback && (named == nullptr || named == from)) {
    const HistoryEntry* before = accepted_as(history, history.champion_from);
    return RolledBack{.from = before != nullptr ? before->id : std::string(kBaseId),
                      .to = from->id,
                      .commit = from->commit};
  }
  const HistoryEntry* to = named != nullptr ? named : INSTAR_TRY(previous_champion(history));
  INSTAR_CHECK(require_checkpoint(history, *to));
  if (to == from) {
    return fail(ErrorCode::kInvalidInput, "variant " + to->id + " is the champion already",
                "name another checkpoint of `instar log " + history.run + "`");
  }
  INSTAR_CHECK(verify_checkpoint(*store, history, *to));
  return move_champion(*store, run, history, *from, *to, clock);
}

}  // namespace instar::engine
