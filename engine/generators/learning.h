#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/evaluation/evaluation.h"
#include "engine/generators/family.h"

namespace instar::engine {

/// What a mutant did to its parent's tests.
struct Effect {
  bool better = false;   ///< accepted, or a test that failed passes
  bool changed = false;  ///< a test that failed fails in another way
  bool broke = false;    ///< a test that passed fails
  bool known = false;    ///< there were outcomes to compare
};

/// The tests of a parent that did not pass, all that is kept of its evaluation.
using Failing = std::map<TestId, TestOutcome>;
Failing failing_of(const Evaluation& evaluation);

/// Compares outcomes per test; a mutant that gave no outcome at all (it did not build) tells
/// nothing.
Effect effect_of(const Failing& parent, const Evaluation& variant, bool accepted);

/// What earlier results say about where and how to mutate, as multiplicative weights in coarse
/// steps (after Littlestone and Warmuth's weighted majority): a family or a function (path and
/// name) gains credit when its mutants mattered and loses a little when nothing happened; its
/// weight is 1.5 to the whole part of its credit, within [-4, 6]. Coarse, so that the order of a
/// search changes only on evidence.
class Learning {
 public:
  Learning();
  void observe(std::size_t family, std::uint64_t function, const Effect& effect);
  /// Words that failing tests are made of: a function that shares them is looked at earlier (a
  /// fault-location prior in the spirit of information-retrieval localisation, Zhou et al., ICSE
  /// 2012).
  void hear_of_failing(const Failing& failing);

  [[nodiscard]] double family_weight(std::size_t family) const;
  /// `function` as in observe; `name` is what its words are taken from.
  [[nodiscard]] double function_weight(std::uint64_t function, std::string_view name) const;
  /// Changes whenever a function's weight does.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  std::vector<double> family_credit_;
  std::unordered_map<std::uint64_t, double> function_credit_;
  std::set<std::string, std::less<>> words_;
  std::uint64_t version_ = 0;
};

/// The lower-case words of an identifier or a test's name, of three letters and more: split at
/// anything that is no letter and at camelCase.
std::set<std::string, std::less<>> words_of(std::string_view name);

}  // namespace instar::engine
