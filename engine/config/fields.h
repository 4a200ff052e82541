#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/config/strict_keys.h"

namespace instar::engine {

/// What a limit may be. Both ends belong to it; zero is only in it where zero means "none".
template <class T>
struct Range {
  T least;
  T most;
};

// Readers of one value: of the right type and form, or an error at its place.

/// Any text without control characters; `lines`: with newlines and tabs.
enum class Lines { kOne, kMany };
Result<std::string> read_text(const Value& value, Lines lines = Lines::kOne);
Result<bool> read_flag(const Value& value);
Result<std::uint64_t> read_count(const Value& value, Range<std::uint64_t> range);
Result<std::chrono::milliseconds> read_duration(const Value& value,
                                                Range<std::chrono::milliseconds> range);
Result<std::uint64_t> read_size(const Value& value, Range<std::uint64_t> range);
/// "0.10" or "10%".
Result<double> read_relative(const Value& value, Range<double> range);
/// A pattern over paths of a repository, as glob.h defines it.
Result<std::string> read_pattern(const Value& value);

// Keys of a policy: each sets its value, or under Mode::kTighten may only make it stricter. For
// limits, lower is stricter.

Key count_limit(std::string name, std::uint64_t& into, Range<std::uint64_t> range);
Key duration_limit(std::string name, std::chrono::milliseconds& into,
                   Range<std::chrono::milliseconds> range);
/// The same for a limit that is kept in whole seconds.
Key seconds_limit(std::string name, std::chrono::seconds& into, Range<std::chrono::seconds> range);
Key size_limit(std::string name, std::uint64_t& into, Range<std::uint64_t> range);

/// A word out of a few, which stand in the order of strictness, the loosest first.
template <class E>
Key choice(std::string name, E& into, std::vector<std::pair<std::string, E>> words);

/// A key whose only value in this build is `text`; `why` says what the build lacks.
Key only(std::string name, std::string text, std::string why);
/// A key that this build does not have.
Key reserved(std::string name, std::string why);

/// The index of the word that was written; an error lists the words.
Result<std::size_t> read_choice(const Value& value, const std::vector<std::string>& words);

template <class E>
Key choice(std::string name, E& into, std::vector<std::pair<std::string, E>> words) {
  std::vector<std::string> names;
  for (const auto& word : words) names.push_back(word.first);
  const auto standing = [&into, words] {
    std::size_t i = 0;
    while (i + 1 < words.size() && words[i].second != into) ++i;
    return i;
  };
  const auto read = [&into, words, names, standing](const Value& value) -> Result<void> {
    const std::size_t wanted = INSTAR_TRY(read_choice(value, names));
    if (value.context().mode == Mode::kTighten && wanted < standing()) {
      return value.refuse_loosening(names[wanted], names[standing()]);
    }
    into = words[wanted].second;
    return {};
  };
  return {.name = std::move(name), .read = read, .show = [names, standing] {
            return names[standing()];
          }};
}

}  // namespace instar::engine
