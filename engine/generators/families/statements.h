#pragma once

#include <string>
#include <vector>

#include "engine/generators/family.h"

namespace instar::engine {

/// Whether the statement has its lines to itself, so that lines can be added or taken around it.
bool owns_lines(const Site& site);

/// The bytes from the statement's line's begin to the begin of the line behind its last: what goes
/// when it goes.
struct LineSpan {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};
LineSpan lines_of(const Site& site);

/// The blanks before the statement's first line.
std::string_view indent_of(const SyntaxTree& tree, NodeId statement);
/// "\r\n" where the statement's line ends so, else "\n".
std::string_view newline_of(const Site& site);

/// A statement's text with its later lines moved from its own indentation to `indent`.
std::string reindented(const SyntaxTree& tree, NodeId statement, std::string_view indent);

/// Statements from elsewhere in the file that make sense at the site (all their names visible
/// there), the same function's and the nearest first, at most `most`, no text twice.
std::vector<NodeId> ingredients(const Site& site, std::size_t most);

}  // namespace instar::engine
