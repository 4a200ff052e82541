#include "engine/run/proposer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace instar::engine {

namespace {

nlohmann::json provenance_fields(const Proposal& proposal) {
  return {{"parents", {proposal.parent}},
          {"generator", proposal.provenance.generator},
          {"family", proposal.provenance.family},
          {"fingerprint", proposal.provenance.fingerprint},
          {"purpose", escape_for_terminal(proposal.purpose)}};
}

}  // namespace

Proposer::Proposer(Dependencies dependencies, std::uint64_t seed, checkpoints::TreeId base)
    : deps_(std::move(dependencies)), seed_(seed), base_(base) {
  known_trees_.insert(base_.hex());
}

Result<Proposer::Step> Proposer::next(std::uint64_t n, const SearchState& state,
                                      const Breakers& breakers) {
  RandomStream random(seed_, "propose", tally_.generated + 1);
  auto proposal = INSTAR_TRY(deps_.generator.next(state, random));
  if (!proposal) return Step{.variant = {}, .exhausted = true, .trip = {}};
  ++tally_.generated;

  const auto parent =
      std::find_if(state.population.begin(), state.population.end(),
                   [&](const Parent& candidate) { return candidate.id == proposal->parent; });
  if (parent == state.population.end()) {
    return fail(ErrorCode::kInternal,
                "generator " + deps_.generator.name() +
                    " proposed a parent it was not shown: " + proposal->parent);
  }
  auto variant = INSTAR_TRY(admit(n, *std::move(proposal), parent->tree));
  if (variant) {
    fruitless_ = 0;
    refusals_before_last_ = std::exchange(refused_, 0);
    return Step{.variant = std::move(variant), .exhausted = false, .trip = {}};
  }
  ++fruitless_;
  return Step{.variant = {},
              .exhausted = false,
              .trip = breakers.while_generating(fruitless_, refused_, last_refusal_)};
}

Result<std::optional<Variant>> Proposer::admit(std::uint64_t n, Proposal proposal,
                                               const checkpoints::TreeId& parent) {
  const std::string number = std::to_string(tally_.generated);
  const auto outcome = INSTAR_TRY(deps_.window.admit(parent, proposal.edits));
  if (const auto* refusal = std::get_if<Refusal>(&outcome)) {
    INSTAR_CHECK(refuse(proposal, *refusal));
    return std::optional<Variant>();
  }
  const auto& admission = std::get<Admission>(outcome);
  if (!known_trees_.insert(admission.tree.hex()).second) {
    ++tally_.duplicate;
    nlohmann::json fields = provenance_fields(proposal);
    fields["tree"] = admission.tree.hex();
    INSTAR_TRY(deps_.journal.record("duplicate", number, fields));
    deps_.store.forget(admission.tree);
    deps_.generator.observe({.proposal = &proposal, .fate = "duplicate", .evaluation = nullptr});
    return std::optional<Variant>();
  }

  const std::string id =
      variant_id(base_, admission.tree, {proposal.parent}, proposal.provenance.generator, n);
  Variant variant{.n = n,
                  .id = id,
                  .tree = admission.tree,
                  .proposal = std::move(proposal),
                  .patch_lines = admission.patch_lines,
                  .patch_files = admission.patch_files};
  nlohmann::json fields = provenance_fields(variant.proposal);
  fields["n"] = n;
  fields["variant"] = variant.id;
  fields["tree"] = variant.tree.hex();
  fields["patch"] = {{"lines", variant.patch_lines}, {"files", variant.patch_files}};
  INSTAR_TRY(deps_.journal.record("admitted", number, fields));
  INSTAR_CHECK(
      deps_.journal.keep_patch(variant.id, INSTAR_TRY(deps_.render_patch(parent, variant.tree))));
  return std::optional<Variant>(std::move(variant));
}

Result<void> Proposer::refuse(const Proposal& proposal, const Refusal& refusal) {
  ++tally_.refused;
  ++refused_;
  last_refusal_ = refusal.rule + ": " + refusal.message;
  nlohmann::json fields = provenance_fields(proposal);
  fields["path"] = refusal.path;
  fields["rule"] = refusal.rule;
  fields["rule_source"] = refusal.rule_source;
  fields["message"] = refusal.message;
  INSTAR_TRY(deps_.journal.record("refused", std::to_string(tally_.generated), fields));
  deps_.generator.observe({.proposal = &proposal, .fate = "refused", .evaluation = nullptr});
  return {};
}

}  // namespace instar::engine
