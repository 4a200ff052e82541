#include "engine/run/acceptance.h"

#include <nlohmann/json.hpp>

#include "checkpoints/ledger_position.h"
#include "checkpoints/message.h"
#include "checkpoints/ref_names.h"

namespace instar::engine {

namespace {

checkpoints::CheckpointTrailers trailers_of(const RunIdentity& identity, const Decision& decision) {
  checkpoints::CheckpointTrailers trailers{
      .run = identity.run,
      .variant = decision.variant->id,
      .verdict = std::string(to_string(decision.evaluation->verdict)),
      .metrics = {},
      .policy = identity.policy_sha256,
      .level = identity.level,
      .generator = decision.variant->proposal.provenance.generator,
      .judged = decision.judged};
  for (const auto& [name, value] : decision.evaluation->metrics) {
    trailers.metrics.emplace_back(name, checkpoints::format_metric(value));
  }
  return trailers;
}

}  // namespace

Acceptance::Acceptance(RunIdentity identity, checkpoints::CheckpointStore& store, Journal& journal)
    : identity_(std::move(identity)), store_(store), journal_(journal) {}

Result<checkpoints::CommitId> Acceptance::commit(const Decision& decision) {
  INSTAR_CHECK(journal_.sync());
  const Variant& variant = *decision.variant;
  const auto commit = INSTAR_TRY(
      store_.commit({.tree = variant.tree,
                     .parents = {decision.parent_commit},
                     .author_name = "Instar " + identity_.run,
                     .message = checkpoints::compose_message(variant.proposal.purpose, decision.why,
                                                             trailers_of(identity_, decision)),
                     .time = decision.time}));
  const std::string ref = checkpoints::variant_ref(identity_.run, variant.id);
  INSTAR_TRY(journal_.record(
      "accepted", variant.id,
      {{"variant", variant.id},
       {"commit", commit.hex()},
       {"tree", variant.tree.hex()},
       {"ref", ref},
       {"old", nullptr},
       {"new", commit.hex()},
       {"parents", {decision.parent_commit.hex()}},
       {"judged", {{"seq", decision.judged.seq}, {"sha256", decision.judged.hash.hex()}}},
       {"why", decision.why}}));
  INSTAR_CHECK(journal_.sync());
  INSTAR_CHECK(store_.move_ref(ref, commit.hex(), std::nullopt));
  return commit;
}

Result<void> Acceptance::crown(const Variant& variant, const checkpoints::CommitId& to,
                               const std::optional<checkpoints::CommitId>& from) {
  const auto from_hex = from ? std::optional(from->hex()) : std::nullopt;
  nlohmann::json before;
  if (from_hex) before = *from_hex;
  INSTAR_TRY(journal_.record("champion", variant.id,
                             {{"variant", variant.id}, {"from", before}, {"to", to.hex()}}));
  if (journal_.superseded("champion", variant.id)) return {};
  INSTAR_CHECK(journal_.sync());
  return store_.move_ref(checkpoints::champion_ref(identity_.run), to.hex(), from_hex);
}

Result<void> Acceptance::repeat_rollback(std::size_t number, const checkpoints::CommitId& to,
                                         const checkpoints::CommitId& from) {
  if (journal_.superseded("rollback", std::to_string(number))) return {};
  return store_.move_ref(checkpoints::champion_ref(identity_.run), to.hex(), from.hex());
}

}  // namespace instar::engine
