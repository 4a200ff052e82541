#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "engine/generators/generator.h"

namespace instar::engine {

/// Which parent the next proposal begins with. The best one, until many proposals there gained
/// nothing; from then on every second turn goes to another parent: what makes most tests pass may
/// be a dodge that no further edit completes, and then the way on begins further back. The others
/// share their turns by niche (the set of tests that fail; fitness sharing, Goldberg and
/// Richardson 1987), so that twenty variants which pass the same tests get no more than one.
class Turns {
 public:
  /// An index into the population, which is never empty. Asking changes nothing.
  [[nodiscard]] std::size_t first(const SearchState& state);
  /// The turn was used: a proposal was made, at this parent.
  void drew(const std::string& parent);

 private:
  struct One {
    std::uint64_t drafts = 0;
    std::uint64_t niche = 0;  ///< 0: not asked for yet
  };
  One& known(const Parent& parent);
  [[nodiscard]] std::size_t least_tried_other(const SearchState& state);

  std::map<std::string, One> parents_;  ///< by id
  bool shared_ = false;                 ///< the turn asked for is of a best parent that stalled
  std::uint64_t shared_turns_ = 0;      ///< of those, how many were used
};

}  // namespace instar::engine
