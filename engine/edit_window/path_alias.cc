#include "engine/edit_window/path_alias.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace instar::engine {

namespace {

std::optional<std::string> mapped(std::string_view text, int options) {
  utf8proc_uint8_t* out = nullptr;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const utf8proc_ssize_t size =
      utf8proc_map(bytes, static_cast<utf8proc_ssize_t>(text.size()), &out,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | options));
  if (size < 0) return std::nullopt;
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(out, &std::free);
  return std::string(reinterpret_cast<const char*>(out), static_cast<std::size_t>(size));
}

std::string_view without_trailing(std::string_view component) {
  while (!component.empty() && (component.back() == '.' || component.back() == ' ')) {
    component.remove_suffix(1);
  }
  return component;
}

/// Dotless i is a letter of its own for Unicode case folding, but file systems that compare
/// upper-cased names see it as an i.
void fold_dotless_i(std::string& text) {
  constexpr std::string_view kDotlessI = "\xC4\xB1";
  for (auto at = text.find(kDotlessI); at != std::string::npos; at = text.find(kDotlessI, at)) {
    text.replace(at, kDotlessI.size(), "i");
  }
}

}  // namespace

std::optional<std::string> nfc(std::string_view text) { return mapped(text, 0); }

std::optional<std::string> caseless(std::string_view text) {
  auto plain = mapped(text, UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  if (plain) fold_dotless_i(*plain);
  return plain;
}

std::optional<std::string> folded(std::string_view text) {
  std::string out;
  for (std::string_view rest = text;;) {
    const auto slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    // Cut before and after folding: ignored code points may stand between the dots.
    const auto plain = caseless(without_trailing(part.substr(0, part.find(':'))));
    if (!plain) return std::nullopt;
    out += without_trailing(*plain);
    if (slash == std::string_view::npos) return out;
    out += '/';
    rest.remove_prefix(slash + 1);
  }
}

bool has_short_name_form(std::string_view component) {
  const auto dot = component.find('.');
  const std::string_view stem = component.substr(0, dot);
  const std::size_t extension = dot == std::string_view::npos ? 0 : component.size() - dot - 1;
  const auto tilde = stem.find('~');
  if (tilde == std::string_view::npos || stem.size() > 8 || extension > 3) return false;
  const std::string_view digits = stem.substr(tilde + 1);
  return tilde > 0 && !digits.empty() &&
         std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<char32_t> next_code_point(std::string_view text, std::size_t& at) {
  utf8proc_int32_t code = -1;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at);
  const auto length =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - at), &code);
  if (length <= 0 || code < 0) return std::nullopt;
  at += static_cast<std::size_t>(length);
  return static_cast<char32_t>(code);
}

bool is_deceptive(char32_t code_point) {
  const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point));
  switch (property->category) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return true;
    case UTF8PROC_CATEGORY_ZS:
      return code_point != U' ';
    default:
      return property->ignorable != 0;
  }
}

}  // namespace instar::engine
