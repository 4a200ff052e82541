#include "engine/run/rollback.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "checkpoints/anchor.h"
#include "checkpoints/git_store.h"
#include "checkpoints/ledger.h"
#include "checkpoints/ref_names.h"
#include "checkpoints/run_directory.h"

namespace instar::engine {

namespace {

using checkpoints::CommitId;

/// The champion before the present one: where a rollback goes when nobody says where.
Result<std::string> previous_champion(const RunHistory& history) {
  const HistoryEntry* champion = history.find(history.champion);
  for (auto entry = history.variants.rbegin(); entry != history.variants.rend(); ++entry) {
    if (entry->was_champion && entry->n < champion->n) return entry->id;
  }
  return fail(ErrorCode::kInvalidInput,
              "run " + history.run + " has no champion before this one: before it was the base",
              "name a VARIANT of `instar log " + history.run + "`");
}

Result<const HistoryEntry*> accepted_entry(const RunHistory& history, const std::string& id) {
  const HistoryEntry* entry = history.find(id);
  if (entry != nullptr && entry->state == "accepted") return entry;
  return fail(ErrorCode::kRefused, "variant " + id + " is no checkpoint of run " + history.run,
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

}  // namespace

Result<RolledBack> roll_back(const checkpoints::Repository& repository,
                             const std::filesystem::path& run_directory, const RunHistory& seen,
                             const std::optional<std::string>& variant, const Clock& clock) {
  const auto run = INSTAR_TRY(checkpoints::RunId::parse(seen.run));
  const auto directory = INSTAR_TRY(checkpoints::RunDirectory::open(repository.common_dir(), run));
  const auto lock = INSTAR_TRY(directory.lock());
  // Read again under the lock: the champion may have moved since the caller looked.
  const RunHistory history = INSTAR_TRY(load_history(run_directory));
  const HistoryEntry* from = history.find(history.champion);
  if (from == nullptr) {
    return fail(ErrorCode::kInvalidInput, "run " + history.run + " has no champion to roll back",
                "it is unchanged: `instar status " + history.run + "`");
  }
  const std::string wanted = variant ? *variant : INSTAR_TRY(previous_champion(history));
  const HistoryEntry* to = INSTAR_TRY(accepted_entry(history, wanted));
  if (to == from) {
    return fail(ErrorCode::kInvalidInput, "variant " + wanted + " is the champion already",
                "name another checkpoint of `instar log " + history.run + "`");
  }
  const auto store = INSTAR_TRY(checkpoints::GitStore::open(repository));
  INSTAR_CHECK(verify_checkpoint(*store, history, *to));

  auto ledger = INSTAR_TRY(checkpoints::Ledger::open(directory.ledger_file(), run.str(), clock));
  INSTAR_TRY(ledger.append("rollback", {{"id", std::to_string(history.rollbacks + 1)},
                                        {"variant", to->id},
                                        {"from", from->commit},
                                        {"to", to->commit}}));
  INSTAR_CHECK(ledger.sync());
  INSTAR_CHECK(store->move_ref(checkpoints::champion_ref(run.str()), to->commit, from->commit));
  INSTAR_CHECK(checkpoints::write_anchor(*store, run.str(), ledger.last()));
  return RolledBack{.from = from->id, .to = to->id, .commit = to->commit};
}

}  // namespace instar::engine
