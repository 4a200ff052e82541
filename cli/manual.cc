#include "cli/manual.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace instar::cli {

namespace {

/// Characters, not bytes: those that continue a character of UTF-8 take no place.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

/// One paragraph or item, of which every line is at most `width` long where its words allow it.
void fill(const std::string& block, std::size_t width, std::string& out) {
  const std::string_view indent = block.starts_with("- ") ? "  " : "";
  std::size_t column = 0;
  for (const std::string_view word : split(block, ' ')) {
    if (word.empty()) continue;
    const std::size_t length = characters(word);
    if (column > 0 && column + 1 + length > width) {
      out += "\n";
      out += indent;
      column = indent.size();
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
  }
  out += '\n';
}

bool stands_alone(std::string_view line) {
  return line.empty() || line.starts_with("#") || line.starts_with("    ");
}

}  // namespace

std::string shown_manual(std::string_view markdown, std::size_t width) {
  std::string out;
  std::string block;
  const auto end_block = [&] {
    if (!block.empty()) fill(block, width, out);
    block.clear();
  };
  if (markdown.ends_with('\n')) markdown.remove_suffix(1);
  for (const std::string_view line : split(markdown, '\n')) {
    if (stands_alone(line) || line.starts_with("- ")) end_block();
    if (stands_alone(line)) {
      out += line;
      out += '\n';
    } else {
      block += block.empty() ? "" : " ";
      block += trim(line);
    }
  }
  end_block();
  return out;
}

}  // namespace instar::cli
