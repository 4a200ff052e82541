#pragma once

#include <string_view>
#include <vector>

namespace instar::engine {

/// The lines of a text, each with its newline; the last may lack one. Only `\n` ends a line: a
/// `\r` before it belongs to the line. An empty text has no line.
std::vector<std::string_view> lines_of(std::string_view text);

/// A line without its `\n` or `\r\n`.
std::string_view without_newline(std::string_view line);

}  // namespace instar::engine
