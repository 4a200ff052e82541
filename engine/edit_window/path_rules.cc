#include "engine/edit_window/path_rules.h"

#include "base/text.h"
#include "engine/edit_window/path_alias.h"

namespace instar::engine {

namespace {

constexpr const char* kShape = "a relative path such as src/parser.c";

OrRefusal<void> check_characters(std::string_view path) {
  for (std::size_t at = 0; at < path.size();) {
    const auto code = next_code_point(path, at);
    if (!code) {
      return refuse(path, "path.utf8", "the path is not valid UTF-8", "names in UTF-8");
    }
    if (*code < 0x20 || *code == 0x7F) {
      return refuse(path, "path.control", "the path has a control character",
                    "visible characters only");
    }
    // Invisible code points make a second name that looks like, or on HFS+ is, the first.
    if (is_deceptive(*code)) {
      return refuse(path, "path.invisible",
                    "the path has a character that is invisible, changes the direction of text, "
                    "or is not assigned",
                    "visible characters and the plain space only");
    }
  }
  // Checked last: normalisation needs valid UTF-8.
  if (nfc(path) != path) {
    return refuse(path, "path.nfc", "the path is not in Unicode normal form C",
                  "the same path in NFC (composed characters)");
  }
  return {};
}

OrRefusal<void> check_component(std::string_view path, std::string_view part) {
  if (part.empty()) {
    return refuse(path, "path.empty_part", "the path has an empty component (`//` or a final `/`)",
                  kShape);
  }
  if (part == ".") {
    return refuse(path, "path.dot", "the path has a `.` component", kShape);
  }
  if (part == "..") {
    return refuse(path, "path.parent", "the path has a `..` component, which leaves its directory",
                  kShape);
  }
  if (part.size() > kMaxComponentBytes) {
    return refuse(path, "path.component_length", "a component of the path is longer than 255 bytes",
                  "shorter names");
  }
  // NTFS drops them: `.git.` and `.git ` open `.git`.
  if (part.back() == '.' || part.back() == ' ') {
    return refuse(path, "path.trailing", "a component of the path ends with a dot or a space",
                  "names without a dot or a space at the end");
  }
  // `.git::$INDEX_ALLOCATION` is the directory `.git` on NTFS.
  if (part.find(':') != std::string_view::npos) {
    return refuse(path, "path.stream", "the path has a colon, which names a stream on NTFS",
                  "names without a colon");
  }
  if (has_short_name_form(part)) {
    return refuse(path, "path.short_name",
                  "a component of the path has the form of an 8.3 short name (`git~1`), which may "
                  "open another file",
                  "the long name of the file");
  }
  // Look-alikes of the reserved characters: a two dot leader, a full-width slash or digit.
  const std::string plain = folded(part).value_or("");
  if (plain.empty() || plain.find_first_of("/\\") != std::string::npos ||
      has_short_name_form(plain)) {
    return refuse(path, "path.compatibility",
                  "a component of the path reads like `..`, a separator or a short name once its "
                  "characters are replaced by their plain forms",
                  "plain dots, slashes and digits");
  }
  return {};
}

}  // namespace

OrRefusal<void> check_path(std::string_view path) {
  if (path.empty()) return refuse(path, "path.empty", "the path is empty", kShape);
  if (path.size() > kMaxPathBytes) {
    return refuse(path, "path.length", "the path is longer than 4095 bytes", "shorter paths");
  }
  if (path.front() == '/') {
    return refuse(path, "path.absolute", "the path is absolute",
                  "a path relative to the root of the target, such as src/parser.c");
  }
  if (path.find('\\') != std::string_view::npos) {
    return refuse(path, "path.backslash",
                  "the path has a backslash, which separates directories on Windows", kShape);
  }
  if (auto ok = check_characters(path); !ok) return ok;
  for (const std::string_view part : split(path, '/')) {
    if (auto ok = check_component(path, part); !ok) return ok;
  }
  return {};
}

}  // namespace instar::engine
