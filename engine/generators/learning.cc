#include "engine/generators/learning.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace instar::engine {

namespace {

constexpr double kStep = 1.5;
constexpr double kLeast = -4;
constexpr double kMost = 6;
constexpr double kBetterCredit = 2;      ///< near a repair: stay there
constexpr double kChangedCredit = 0.5;   ///< the failing test runs through here
constexpr double kNothingCredit = -0.1;  ///< ten idle mutants cost what one hint gives
/// Words that tests have because they are tests.
constexpr std::array<std::string_view, 8> kIdleWords{"test", "tests", "check", "should",
                                                     "case", "spec",  "the",   "and"};
constexpr std::size_t kMostWords = 4096;

double weight(double credit) { return std::pow(kStep, std::floor(credit)); }

}  // namespace

Failing failing_of(const Evaluation& evaluation) {
  Failing failing;
  for (const auto& one : evaluation.tests) {
    if (is_failure(one.second)) failing.insert(one);
  }
  return failing;
}

Effect effect_of(const Failing& parent, const Evaluation& variant, bool accepted) {
  Effect effect{.better = accepted, .changed = false, .broke = false, .known = accepted};
  for (const auto& [id, after] : variant.tests) {
    // A test that never came to its turn says nothing: a crash takes all behind it along.
    if (after == TestOutcome::kMissing) continue;
    effect.known = true;
    const auto before = parent.find(id);
    if (before == parent.end()) {
      effect.broke = effect.broke || is_failure(after);
    } else if (after == TestOutcome::kPassed) {
      effect.better = true;
    } else {
      effect.changed = effect.changed || after != before->second;
    }
  }
  return effect;
}

std::set<std::string, std::less<>> words_of(std::string_view name) {
  std::set<std::string, std::less<>> words;
  std::string word;
  const auto close = [&] {
    const bool idle = std::find(kIdleWords.begin(), kIdleWords.end(), word) != kIdleWords.end();
    if (word.size() >= 3 && !idle) words.insert(word);
    word.clear();
  };
  char before = ' ';
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte) == 0) {
      close();
    } else {
      if (std::isupper(byte) != 0 && std::islower(static_cast<unsigned char>(before)) != 0) close();
      word += static_cast<char>(std::tolower(byte));
    }
    before = c;
  }
  close();
  return words;
}

Learning::Learning() : family_credit_(families().size(), 0) {}

void Learning::observe(std::size_t family, std::uint64_t function, const Effect& effect) {
  if (!effect.known) return;
  double gained = kNothingCredit;
  if (effect.better) {
    gained = kBetterCredit;
  } else if (effect.changed) {
    gained = kChangedCredit;
  } else if (effect.broke) {
    gained = 0;  // it is tested, but by others than the failing ones
  }
  double& place = function_credit_[function];
  const double before = weight(place);
  place = std::clamp(place + gained, kLeast, kMost);
  if (weight(place) != before) ++version_;
  double& credit = family_credit_[family];
  if (effect.better) credit = std::clamp(credit + 1, kLeast, kMost);
}

void Learning::hear_of_failing(const Failing& failing) {
  for (const auto& [id, outcome] : failing) {
    if (words_.size() > kMostWords) return;
    for (const std::string& word : words_of(id.name)) {
      if (words_.insert(word).second) ++version_;
    }
  }
}

double Learning::family_weight(std::size_t family) const {
  return families()[family]->weight * weight(family_credit_[family]);
}

double Learning::function_weight(std::uint64_t function, std::string_view name) const {
  double made = 1;
  if (const auto found = function_credit_.find(function); found != function_credit_.end()) {
    made = weight(found->second);
  }
  if (words_.empty() || name.empty()) return made;
  for (const std::string& word : words_of(name)) {
    if (words_.contains(word)) return made * 3;
  }
  return made;
}

}  // namespace instar::engine
