#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace instar::engine {

/// The name under which a file system that is more forgiving than git would find `text` (one
/// component, or a whole path: `/` is kept): caseless, each component without an NTFS stream suffix
/// (`:…`) and without trailing dots and spaces. Two names that fold alike may be one file on some
/// checkout; so rules that protect compare folded names, and rules that permit compare exact ones:
/// an alias can only lose. Nothing when `text` is not valid UTF-8.
std::optional<std::string> folded(std::string_view text);

/// `text` compatibility-normalised, case-folded, without ignored code points; nothing is cut off.
/// Nothing when it is not valid UTF-8.
std::optional<std::string> caseless(std::string_view text);

/// Whether a component has the form of a generated NTFS 8.3 name (`git~1`, `SAFETY~1.YAM`), which
/// may open any file whose long name begins alike.
bool has_short_name_form(std::string_view component);

/// `text` in NFC, or nothing when it is not valid UTF-8.
std::optional<std::string> nfc(std::string_view text);

/// Decodes the code point that begins at `at`, which must be inside `text`, and moves `at` behind
/// it; nothing, and `at` stays, when the bytes there are not valid UTF-8.
std::optional<char32_t> next_code_point(std::string_view text, std::size_t& at);

/// Whether a reader cannot see the code point, or it changes how its neighbours look: controls,
/// bidirectional marks, default-ignorable and unassigned code points, spaces other than U+0020.
bool is_deceptive(char32_t code_point);

}  // namespace instar::engine
