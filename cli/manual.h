#pragma once

#include <string>
#include <string_view>

namespace instar::cli {

/// A manual (cmd_<name>.md) as a terminal shows it: paragraphs and items of lists are filled to at
/// most `width` characters, an item's further lines stand below its first word; headings, examples
/// and single words that are longer stay as they are.
std::string shown_manual(std::string_view markdown, std::size_t width);

}  // namespace instar::cli
