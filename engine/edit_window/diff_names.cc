#include "engine/edit_window/diff_names.h"

#include <utility>

namespace instar::engine {

namespace {

/// One escape of git's quoting, `text` standing behind the backslash; takes what it used.
std::optional<char> unescape(std::string_view& text) {
  constexpr std::pair<char, char> kEscapes[] = {{'a', '\a'}, {'b', '\b'}, {'t', '\t'},
                                                {'n', '\n'}, {'v', '\v'}, {'f', '\f'},
                                                {'r', '\r'}, {'"', '"'},  {'\\', '\\'}};
  if (text.empty()) return std::nullopt;
  for (const auto& [letter, meaning] : kEscapes) {
    if (text.front() == letter) {
      text.remove_prefix(1);
      return meaning;
    }
  }
  if (text.size() < 3) return std::nullopt;
  unsigned value = 0;
  for (const char digit : text.substr(0, 3)) {
    if (digit < '0' || digit > '7') return std::nullopt;
    value = value * 8 + static_cast<unsigned>(digit - '0');
  }
  if (value > 0xFF) return std::nullopt;
  text.remove_prefix(3);
  return static_cast<char>(value);
}

/// Takes a quoted name from the front of `text`.
std::optional<std::string> take_quoted(std::string_view& text) {
  if (!text.starts_with('"')) return std::nullopt;
  text.remove_prefix(1);
  std::string out;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '"') return out;
    if (c != '\\') {
      out += c;
      continue;
    }
    const auto escaped = unescape(text);
    if (!escaped) return std::nullopt;
    out += *escaped;
  }
  return std::nullopt;
}

std::optional<GitHeaderName> one_path(std::string old_name, std::string new_name) {
  if (old_name.starts_with("a/") && new_name.starts_with("b/") &&
      old_name.substr(2) == new_name.substr(2)) {
    return GitHeaderName{old_name.substr(2), old_name, new_name};
  }
  if (old_name == new_name) return GitHeaderName{old_name, old_name, new_name};
  return std::nullopt;
}

}  // namespace

std::optional<std::string> diff_name(std::string_view text) {
  if (!text.starts_with('"')) return std::string(text.substr(0, text.find('\t')));
  auto name = take_quoted(text);
  return !text.empty() && text.front() != '\t' ? std::nullopt : name;
}

std::optional<GitHeaderName> git_header_name(std::string_view text) {
  if (text.starts_with('"')) {
    auto old_name = take_quoted(text);
    if (!old_name || !text.starts_with(' ')) return std::nullopt;
    text.remove_prefix(1);
    auto new_name = take_quoted(text);
    if (!new_name || !text.empty()) return std::nullopt;
    return one_path(std::move(*old_name), std::move(*new_name));
  }
  // The two names are of one length, since they are one path: so a space in it cannot mislead.
  const std::size_t half = text.size() / 2;
  if (text.size() % 2 == 0 || text[half] != ' ') return std::nullopt;
  return one_path(std::string(text.substr(0, half)), std::string(text.substr(half + 1)));
}

}  // namespace instar::engine
