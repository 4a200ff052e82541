#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace instar {

/// The parts between separators; an empty text gives one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string_view trim(std::string_view text);

/// Whether `text` begins with `lower`, which is lower-case ASCII, in any case.
bool starts_with_any_case(std::string_view text, std::string_view lower);

std::string join(std::span<const std::string> parts, std::string_view separator);

/// Text of a variant as a terminal may see it: control characters, escape sequences, bidirectional
/// overrides and invalid UTF-8 become visible escapes, so that a name or an output cannot repaint
/// the reviewer's screen. Newline and tab stay when `keep_lines`.
std::string escape_for_terminal(std::string_view text, bool keep_lines = false);

/// `text` as one word of a shell's command line: as it is where it needs no quotes.
std::string shell_quoted(std::string_view text);

/// The candidate nearest to `word` by edit distance, in which two neighbours that changed places
/// count as one mistake, or empty when none is near enough to be a likely typo.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace instar
