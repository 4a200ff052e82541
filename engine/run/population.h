#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/target.h"
#include "engine/generators/generator.h"
#include "engine/run/run_state.h"

namespace instar::engine {

/// The accepted variants of a run, and which of them is champion. A generator sees it as it stood
/// some results ago
/// (`visible`), so that what it proposes does not depend on how many cells ran at once.
class Population {
 public:
  Population(std::vector<Objective> objectives, checkpoints::TreeId base_tree,
             Evaluation base_evaluation);

  void accept(Accepted accepted, bool becomes_champion);

  [[nodiscard]] const Accepted* champion() const;
  /// What a proposal's parent showed; the base for kBaseId. Never null for a parent that `visible`
  /// gave.
  [[nodiscard]] const Evaluation* evaluation_of(const std::string& parent) const;
  [[nodiscard]] const Accepted* find(const std::string& id) const;
  [[nodiscard]] const checkpoints::TreeId& base_tree() const { return base_tree_; }
  [[nodiscard]] const Evaluation& base_evaluation() const { return base_; }

  /// Accepted variants with n at most `up_to`: the champion of that moment first, then by
  /// objectives, the base last.
  [[nodiscard]] SearchState visible(std::uint64_t up_to) const;

 private:
  struct Member {
    Accepted accepted;
    bool was_champion = false;
  };
  [[nodiscard]] bool ranks_before(const Evaluation& a, const Evaluation& b) const;

  std::vector<Objective> objectives_;
  checkpoints::TreeId base_tree_;
  Evaluation base_;
  std::vector<std::unique_ptr<Member>> members_;  ///< in order of n; addresses are handed out
};

}  // namespace instar::engine
