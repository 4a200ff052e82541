#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/generators/frontier.h"
#include "engine/generators/generator.h"
#include "engine/generators/turns.h"

namespace instar::engine {

/// The generator that needs no model: single edits of syntax trees by mutation operator families,
/// of the best variant first. When a new best appears, the search goes on there, edits already
/// tried elsewhere last; when everything at the best is tried, at the next of the population. The
/// seed of the constructor orders sites, so `random` of next() is not drawn from.
class MutateGenerator final : public Generator {
 public:
  MutateGenerator(checkpoints::CheckpointStore& store,
                  std::function<bool(const std::string& path)> may_change, std::uint64_t seed);

  [[nodiscard]] std::string name() const override { return "mutate"; }
  Result<std::optional<Proposal>> next(const SearchState& state, RandomStream random) override;
  void observe(const Feedback& feedback) override;

 private:
  struct Seen {
    Frontier frontier;
    Failing failing;
    std::size_t gains = 0;  ///< how many of gains_ were repeated here
    bool exhausted = false;
  };
  struct InFlight {
    std::string parent;
    Gain edit;
    bool leading;  ///< the parent was the best one
  };
  Result<std::optional<EditDraft>> draft_at(Seen& one);
  Result<Seen*> seen(const Parent& parent, const Parent& base);
  Result<std::vector<checkpoints::TreeEntry>> files_of(const Parent& parent, const Parent& base);
  [[nodiscard]] bool is_source(const checkpoints::TreeEntry& entry) const;

  checkpoints::CheckpointStore* store_;
  std::function<bool(const std::string&)> may_change_;
  std::uint64_t seed_;
  Workshop workshop_;
  Turns turns_;
  std::map<std::string, Seen> seen_;  ///< by parent id
  std::vector<checkpoints::TreeEntry> base_files_;
  bool base_listed_ = false;
  std::unordered_map<std::uint64_t, InFlight> in_flight_;
  std::vector<Gain> gains_;  ///< edits of accepted variants, in the order they were heard of
};

}  // namespace instar::engine
