#include "engine/edit_window/regions.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "engine/edit_window/lines.h"

namespace instar::engine {

namespace {

constexpr std::string_view kStart = "EVOLVE-BLOCK-START";
constexpr std::string_view kEnd = "EVOLVE-BLOCK-END";
constexpr const char* kForm =
    "a pair of comment lines of their own, `# EVOLVE-BLOCK-START [name]` and "
    "`# EVOLVE-BLOCK-END [name]`, not nested";

/// What begins a comment in the languages there are. No quotation marks: a marker in a string is
/// not a marker.
constexpr std::array kCommentLeaders = {
    std::string_view("#"),   std::string_view("##"),   std::string_view("//"),
    std::string_view("///"), std::string_view("/*"),   std::string_view("/**"),
    std::string_view("*"),   std::string_view("--"),   std::string_view(";"),
    std::string_view(";;"),  std::string_view(";;;"),  std::string_view("%"),
    std::string_view("%%"),  std::string_view("<!--"), std::string_view("(*"),
    std::string_view("{-"),  std::string_view("!"),    std::string_view("REM"),
    std::string_view("dnl")};
constexpr std::array kCommentClosers = {std::string_view("*/"), std::string_view("-->"),
                                        std::string_view("*)"), std::string_view("-}")};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_name_character(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.';
}

/// Whether `line` says something near a marker, in any case and with `-`, `_` or a space between
/// the words. Near misses count, so that a misspelt marker does not leave its file wide open.
bool mentions_marker(std::string_view line) {
  constexpr std::string_view kWords = "evolve-block-";
  const auto same = [](char text, char word) {
    return word == '-' ? text == '-' || text == '_' || text == ' ' : lower(text) == word;
  };
  for (auto from = line.begin();;) {
    const auto hit = std::search(from, line.end(), kWords.begin(), kWords.end(), same);
    if (hit == line.end()) return false;
    const auto rest = line.substr(static_cast<std::size_t>(hit - line.begin()) + kWords.size());
    for (const std::string_view word : {"start", "end", "begin", "stop"}) {
      if (rest.size() >= word.size() && std::equal(word.begin(), word.end(), rest.begin(),
                                                   [](char w, char t) { return lower(t) == w; })) {
        return true;
      }
    }
    from = hit + 1;
  }
}

struct Marker {
  bool start = false;
  std::string_view name;
};

/// The marker that the line is, if it is exactly one.
std::optional<Marker> parse_marker(std::string_view line) {
  std::string_view rest = trim(without_newline(line));
  const auto at = rest.find(kStart.substr(0, kStart.size() - 5));  // what both markers begin with
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view leader = trim(rest.substr(0, at));
  if (std::find(kCommentLeaders.begin(), kCommentLeaders.end(), leader) == kCommentLeaders.end()) {
    return std::nullopt;
  }
  rest.remove_prefix(at);
  Marker marker{.start = rest.starts_with(kStart), .name = {}};
  if (!marker.start && !rest.starts_with(kEnd)) return std::nullopt;
  rest.remove_prefix(marker.start ? kStart.size() : kEnd.size());
  for (const std::string_view closer : kCommentClosers) {
    if (rest.ends_with(closer)) {
      rest.remove_suffix(closer.size());
      break;
    }
  }
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\t') return std::nullopt;
  marker.name = trim(rest);
  if (!std::all_of(marker.name.begin(), marker.name.end(), is_name_character)) return std::nullopt;
  return mentions_marker(marker.name) ? std::nullopt : std::optional(marker);
}

/// Collects the parts of one text, marker by marker.
class Cutter {
 public:
  Cutter(std::string_view path, std::string_view text) : path_(path), text_(text) {}

  OrRefusal<void> add_marker(const Marker& marker, std::size_t line, std::size_t begin,
                             std::size_t end) {
    if (marker.start == open_) {
      return fault(line, open_ ? "a block starts inside a block" : "a block ends that never began");
    }
    if (marker.start) {
      name_ = marker.name;
      regions_.fixed.push_back(text_.substr(from_, end - from_));
      from_ = end;
    } else {
      if (!marker.name.empty() && marker.name != name_) {
        return fault(line, "the end names another block than the start");
      }
      regions_.blocks.push_back(text_.substr(from_, begin - from_));
      from_ = begin;
    }
    open_ = marker.start;
    return {};
  }

  OrRefusal<Regions> finish(std::size_t line) {
    if (open_) return fault(line, "a block has no end");
    if (!regions_.blocks.empty()) regions_.fixed.push_back(text_.substr(from_));
    return std::move(regions_);
  }

  [[nodiscard]] tl::unexpected<Refusal> fault(std::size_t line, const std::string& what) const {
    return refuse(path_, "region.marker", "line " + std::to_string(line) + ": " + what, kForm);
  }

 private:
  std::string_view path_;
  std::string_view text_;
  Regions regions_;
  std::size_t from_ = 0;
  std::string_view name_;
  bool open_ = false;
};

}  // namespace

OrRefusal<Regions> parse_regions(std::string_view path, std::string_view text) {
  Cutter cutter(path, text);
  std::size_t number = 0;
  std::size_t begin = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    const std::size_t end = begin + line.size();
    if (mentions_marker(line)) {
      const auto marker = parse_marker(line);
      if (!marker) {
        return cutter.fault(number, show_text(line) + " mentions a marker but is not one");
      }
      if (auto ok = cutter.add_marker(*marker, number, begin, end); !ok) {
        return tl::unexpected<Refusal>(std::move(ok).error());
      }
    }
    begin = end;
  }
  return cutter.finish(number);
}

OrRefusal<void> check_regions(std::string_view path, const std::optional<std::string>& base,
                              const std::optional<std::string>& after) {
  const auto before = parse_regions(path, base ? std::string_view(*base) : std::string_view());
  if (!before) {
    return refuse(path, "region.base",
                  "the markers in the base are malformed (" + before.error().message +
                      "), so nothing in this file may be changed",
                  "another file; or the owner mends the markers: " + std::string(kForm));
  }
  if (!after) {
    if (before->blocks.empty()) return {};
    return refuse(path, "region.outside", "the file has blocks, so it cannot be deleted",
                  "changes between its EVOLVE-BLOCK markers");
  }
  const auto now = parse_regions(path, *after);
  if (!now) return tl::unexpected<Refusal>(now.error());
  if (before->blocks.empty()) {
    if (now->blocks.empty()) return {};
    return refuse(path, "region.introduced", "the variant adds EVOLVE-BLOCK markers",
                  "the same change without markers; only the owner of the target sets them");
  }
  if (now->fixed == before->fixed) return {};
  if (now->blocks.size() != before->blocks.size()) {
    return refuse(path, "region.marker",
                  "the base has " + std::to_string(before->blocks.size()) +
                      " blocks, the variant has " + std::to_string(now->blocks.size()),
                  "changes between the markers of the base; markers stay as they are");
  }
  std::size_t part = 0;
  while (now->fixed[part] == before->fixed[part]) ++part;
  return refuse(path, "region.outside",
                part == 0 ? "bytes at or before the first block's start differ from the base"
                          : "bytes at or after the end of block " + std::to_string(part) +
                                " differ from the base",
                "changes between the EVOLVE-BLOCK markers; everything else stays byte for byte");
}

}  // namespace instar::engine
