#include <algorithm>

#include "engine/edit_window/lines.h"
#include "engine/edit_window/unified_diff.h"

namespace instar::engine {

namespace {

using Lines = std::vector<std::string_view>;
using Fault = tl::unexpected<Refusal>;

bool same(const DiffLine& wanted, std::string_view line) {
  if (wanted.newline != line.ends_with('\n')) return false;
  if (wanted.newline) line.remove_suffix(1);
  return wanted.text == line;
}

std::vector<DiffLine> old_side(const Hunk& hunk) {
  std::vector<DiffLine> out;
  for (const DiffLine& line : hunk.lines) {
    if (line.kind != DiffLine::Kind::kAdded) out.push_back(line);
  }
  return out;
}

/// Where the hunk would have matched, as a help to its author: ", but at line 17". Gives up after a
/// bounded number of comparisons, since a hostile diff could make the search quadratic.
std::string elsewhere(const std::vector<DiffLine>& wanted, const Lines& lines) {
  if (wanted.empty()) return {};
  std::size_t budget = 2'000'000;
  std::string found;
  for (std::size_t start = 0; start + wanted.size() <= lines.size(); ++start) {
    std::size_t matched = 0;
    while (matched < wanted.size() && same(wanted[matched], lines[start + matched])) ++matched;
    if (budget <= matched + 1) return found;
    budget -= matched + 1;
    if (matched < wanted.size()) continue;
    if (!found.empty()) return found + " and further down";
    found = "; these lines stand at line " + std::to_string(start + 1);
  }
  return found.empty() ? "; these lines stand nowhere in the file" : found;
}

/// Builds the new text line by line, and knows when a line would run into the next one.
class Output {
 public:
  /// False when the text so far ends without a newline, so that `line` would be joined to it.
  bool add(std::string_view line, bool newline) {
    if (!text_.empty() && text_.back() != '\n') return false;
    text_ += line;
    if (newline) text_ += '\n';
    return true;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Applies hunks in order to the lines of one file.
class Applier {
 public:
  Applier(const std::string& path, std::string_view text) : path_(path), lines_(lines_of(text)) {}

  OrRefusal<void> apply(const Hunk& hunk) {
    // `-12,0` means "behind line 12"; `-12,3` means "from line 12 on".
    const std::uint64_t start = hunk.old_count == 0 ? hunk.old_start : hunk.old_start - 1;
    if (start < next_)
      return fault(hunk, "the hunk overlaps the one before it, or stands before it");
    if (start > lines_.size() || hunk.old_count > lines_.size() - start) {
      return fault(hunk, "the hunk reaches behind the end of the file, which has " +
                             std::to_string(lines_.size()) + " lines" +
                             elsewhere(old_side(hunk), lines_));
    }
    if (!copy_until(start)) return fault(hunk, kJoins);
    for (const DiffLine& line : hunk.lines) {
      if (line.kind != DiffLine::Kind::kAdded) {
        if (!same(line, lines_[next_])) return mismatch(hunk, line);
        ++next_;
      }
      if (line.kind != DiffLine::Kind::kRemoved && !out_.add(line.text, line.newline)) {
        return fault(hunk, kJoins);
      }
    }
    return {};
  }

  OrRefusal<std::string> finish(const Hunk& last) {
    if (!copy_until(lines_.size())) return fault(last, kJoins);
    return out_.take();
  }

 private:
  static constexpr const char* kJoins =
      "a line without newline is followed by another line: `\\ No newline at end of file` is only "
      "for the last one";

  bool copy_until(std::size_t end) {
    for (; next_ < end; ++next_) {
      const std::string_view line = lines_[next_];
      const bool newline = line.ends_with('\n');
      if (!out_.add(line.substr(0, line.size() - (newline ? 1 : 0)), newline)) return false;
    }
    return true;
  }

  [[nodiscard]] Fault fault(const Hunk& hunk, const std::string& what) const {
    return refuse(path_, "inexact",
                  "the hunk at line " + std::to_string(hunk.patch_line) +
                      " of the diff does not apply: " + what,
                  "a hunk whose context and removed lines are those of the parent's file, at the "
                  "line that the header states");
  }

  [[nodiscard]] Fault mismatch(const Hunk& hunk, const DiffLine& wanted) const {
    const std::string_view found = lines_[next_];
    std::string what = "line " + std::to_string(next_ + 1) + " is " + show_text(found) + ", not " +
                       show_text(wanted.text);
    if (without_newline(found) == without_newline(wanted.text)) {
      what += " (they differ in how the line ends)";
    }
    return fault(hunk, what + elsewhere(old_side(hunk), lines_));
  }

  const std::string& path_;
  Lines lines_;
  std::size_t next_ = 0;  ///< index of the first line that is not yet copied or removed
  Output out_;
};

}  // namespace

OrRefusal<std::optional<std::string>> apply_file_patch(const FilePatch& patch,
                                                       const std::optional<std::string>& before) {
  if (patch.kind == FilePatch::Kind::kCreate && before) {
    return refuse(patch.path, "inexact", "the diff creates a file that exists already",
                  "a diff against the parent's file");
  }
  if (patch.kind != FilePatch::Kind::kCreate && !before) {
    return refuse(patch.path, "inexact", "the diff changes a file that the parent does not have",
                  "`--- /dev/null` to create the file");
  }
  Applier applier(patch.path, before ? std::string_view(*before) : std::string_view());
  for (const Hunk& hunk : patch.hunks) {
    if (auto ok = applier.apply(hunk); !ok) return Fault(std::move(ok).error());
  }
  auto after = applier.finish(patch.hunks.empty() ? Hunk{} : patch.hunks.back());
  if (!after) return Fault(std::move(after).error());
  if (patch.kind != FilePatch::Kind::kDelete) return std::optional(std::move(*after));
  if (after->empty()) return std::optional<std::string>();
  return refuse(patch.path, "inexact", "the diff deletes the file but removes only a part of it",
                "a diff that removes every line of the parent's file");
}

}  // namespace instar::engine
