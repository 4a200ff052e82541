#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/config/target.h"
#include "engine/generators/generator.h"
#include "engine/run/run_state.h"

namespace instar::engine {

/// The accepted variants of a run, and which of them is champion. A generator sees it as it stood
/// some results ago (`visible`), so that what it proposes does not depend on how many cells ran at
/// once. A rollback begins the population anew with its champion and the ancestors of it: what was
/// accepted beside or after it is no parent any more.
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
  /// Whether a variant may still have this parent: no rollback has left it behind.
  [[nodiscard]] bool holds(const std::string& parent) const;
  /// Does a rollback to an accepted variant.
  void roll_back(const PastRollback& rollback);

  /// What the generator of proposal number `proposal` sees: the accepted variants with n at most
  /// `up_to`, but for those that a rollback before the proposal left behind. The champion of that
  /// moment first, then by objectives, the base last.
  [[nodiscard]] SearchState visible(std::uint64_t up_to, std::uint64_t proposal) const;

 private:
  struct Member {
    Accepted accepted;
    bool was_champion = false;
  };
  /// The population from a rollback on; the first has no rollback.
  struct Epoch {
    PastRollback began;
    std::set<std::string> lineage;  ///< of its first champion, itself included
  };
  [[nodiscard]] static bool is_in(const Epoch& epoch, const Member& member);
  [[nodiscard]] const Member* champion_in(const Epoch& epoch, std::uint64_t up_to) const;
  [[nodiscard]] bool ranks_before(const Evaluation& a, const Evaluation& b) const;

  std::vector<Objective> objectives_;
  checkpoints::TreeId base_tree_;
  Evaluation base_;
  std::vector<std::unique_ptr<Member>> members_;  ///< in order of n; addresses are handed out
  std::vector<Epoch> epochs_{1};
};

}  // namespace instar::engine
