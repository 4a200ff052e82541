#include <algorithm>
#include <charconv>
#include <set>

#include "engine/edit_window/diff_names.h"
#include "engine/edit_window/lines.h"
#include "engine/edit_window/unified_diff.h"

namespace instar::engine {

namespace {

constexpr const char* kForm =
    "a unified diff of text files: `--- a/PATH`, `+++ b/PATH`, then hunks "
    "`@@ -LINE,COUNT +LINE,COUNT @@`";

using Fault = tl::unexpected<Refusal>;

/// The lines of the diff, and where in it we stand.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : lines_(lines_of(text)) {}

  [[nodiscard]] bool at_end() const { return at_ == lines_.size(); }
  /// Line `ahead` of the current one without its `\n`; a `\r` stays. Empty behind the end.
  [[nodiscard]] std::string_view peek(std::size_t ahead = 0) const {
    if (at_ + ahead >= lines_.size()) return {};
    std::string_view line = lines_[at_ + ahead];
    if (line.ends_with('\n')) line.remove_suffix(1);
    return line;
  }
  void skip() { ++at_; }
  [[nodiscard]] std::size_t number() const { return at_ + 1; }

  [[nodiscard]] bool at_git_file() const { return peek().starts_with("diff --git "); }
  [[nodiscard]] bool at_plain_file() const {
    return peek().starts_with("--- ") && peek(1).starts_with("+++ ");
  }
  /// A refusal that says where in the diff.
  [[nodiscard]] Fault fault(std::string rule, const std::string& what,
                            std::string_view path = {}) const {
    return refuse(path, std::move(rule),
                  "line " + std::to_string(number()) + " of the diff: " + what, kForm);
  }

 private:
  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
};

/// Things a diff can say that a variant may not, by what their line begins with.
struct Forbidden {
  std::string_view begins;
  std::string_view rule;
  std::string_view what;
};
constexpr Forbidden kForbidden[] = {
    {"old mode ", "mode.change", "it changes the mode of a file"},
    {"new mode ", "mode.change", "it changes the mode of a file"},
    {"rename from ", "patch.rename", "it renames a file; delete one and create the other instead"},
    {"rename to ", "patch.rename", "it renames a file; delete one and create the other instead"},
    {"similarity index ", "patch.rename", "it renames or copies a file"},
    {"copy from ", "patch.rename", "it copies a file; create it in full instead"},
    {"copy to ", "patch.rename", "it copies a file; create it in full instead"},
    {"GIT binary patch", "patch.binary", "it changes a binary file"},
    {"Binary files ", "patch.binary", "it changes a binary file"},
    {"Only in ", "patch.incomplete", "it leaves out a file that one side alone has"},
    {"@@@ ", "patch.combined", "it is a combined diff of a merge"},
    {"diff --cc ", "patch.combined", "it is a combined diff of a merge"},
    {"diff --combined ", "patch.combined", "it is a combined diff of a merge"},
};

OrRefusal<void> check_forbidden(const Cursor& cursor, std::string_view path) {
  for (const Forbidden& forbidden : kForbidden) {
    if (cursor.peek().starts_with(forbidden.begins)) {
      return cursor.fault(std::string(forbidden.rule), std::string(forbidden.what), path);
    }
  }
  return {};
}

/// The mode that a header gives to a file that is created or deleted.
OrRefusal<void> check_mode(const Cursor& cursor, std::string_view mode, bool created,
                           std::string_view path) {
  if (mode == "120000") return cursor.fault("mode.symlink", "a symbolic link", path);
  if (mode == "160000") return cursor.fault("mode.gitlink", "a submodule", path);
  if (mode == "100755" && created) {
    return cursor.fault("mode.executable", "a new file is executable; new files are 100644", path);
  }
  if (mode == "100644" || mode == "100755") return {};
  return cursor.fault("mode.unknown", "unknown file mode " + show_text(mode), path);
}

/// Takes "12" or "12,3" from the front of `text`.
bool take_range(std::string_view& text, std::uint64_t& start, std::uint64_t& count) {
  const auto take = [&text](std::uint64_t& value) {
    constexpr std::uint64_t kMost = 1U << 31;  // no file that may be changed has as many lines
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value > kMost) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  };
  count = 1;
  if (!take(start)) return false;
  if (!text.starts_with(',')) return true;
  text.remove_prefix(1);
  return take(count);
}

bool parse_hunk_header(std::string_view text, Hunk& hunk, std::uint64_t& new_count) {
  std::uint64_t new_start = 0;
  const auto take = [&text](std::string_view literal) {
    if (!text.starts_with(literal)) return false;
    text.remove_prefix(literal.size());
    return true;
  };
  return take("@@ -") && take_range(text, hunk.old_start, hunk.old_count) && take(" +") &&
         take_range(text, new_start, new_count) && take(" @@") &&
         (hunk.old_start > 0 || hunk.old_count == 0);
}

/// "\ No newline at end of file" below a line, in whatever language.
OrRefusal<void> take_no_newline(Cursor& cursor, Hunk& hunk, const std::string& path) {
  if (!cursor.peek().starts_with("\\ ") || hunk.lines.empty()) return {};
  // It would count as a line and leave none: the header's numbers would be wrong.
  if (hunk.lines.back().text.empty()) {
    return cursor.fault("patch.hunk", "an empty line without a newline is no line", path);
  }
  hunk.lines.back().newline = false;
  cursor.skip();
  return {};
}

OrRefusal<Hunk> parse_hunk(Cursor& cursor, const std::string& path) {
  using Kind = DiffLine::Kind;
  Hunk hunk;
  hunk.patch_line = cursor.number();
  std::uint64_t new_left = 0;
  if (!parse_hunk_header(cursor.peek(), hunk, new_left)) {
    return cursor.fault("patch.hunk", "malformed hunk header " + show_text(cursor.peek()), path);
  }
  cursor.skip();
  for (std::uint64_t old_left = hunk.old_count; old_left > 0 || new_left > 0;) {
    const std::string_view line = cursor.peek();
    const char first = line.empty() ? ' ' : line.front();
    const bool is_old = first == ' ' || first == '-';
    const bool is_new = first == ' ' || first == '+';
    if (cursor.at_end() || (!is_old && !is_new) || (is_old && old_left == 0) ||
        (is_new && new_left == 0)) {
      return cursor.fault("patch.count",
                          "the hunk's header promises " + std::to_string(old_left) +
                              " more old and " + std::to_string(new_left) + " more new lines here",
                          path);
    }
    old_left -= is_old ? 1 : 0;
    new_left -= is_new ? 1 : 0;
    // Some tools cut the one space of an empty context line; it can mean nothing else.
    hunk.lines.push_back({.kind = first == ' '   ? Kind::kContext
                                  : first == '-' ? Kind::kRemoved
                                                 : Kind::kAdded,
                          .text = line.substr(line.empty() ? 0 : 1)});
    cursor.skip();
    if (auto ok = take_no_newline(cursor, hunk, path); !ok) return Fault(std::move(ok).error());
  }
  return hunk;
}

OrRefusal<void> parse_hunks(Cursor& cursor, FilePatch& patch) {
  while (cursor.peek().starts_with("@@")) {
    if (auto ok = check_forbidden(cursor, patch.path); !ok) return ok;
    auto hunk = parse_hunk(cursor, patch.path);
    if (!hunk) return Fault(std::move(hunk).error());
    patch.hunks.push_back(std::move(*hunk));
  }
  if (patch.hunks.empty()) return cursor.fault("patch.empty", "the file has no hunk", patch.path);
  return {};
}

/// `---` and `+++` of a file that a `diff --git` line named already: they must say the same.
OrRefusal<void> parse_named_sides(Cursor& cursor, const GitHeaderName& name,
                                  const FilePatch& patch) {
  const auto old_name = diff_name(cursor.peek().substr(4));
  const auto new_name = diff_name(cursor.peek(1).substr(4));
  const bool created = patch.kind == FilePatch::Kind::kCreate;
  const bool deleted = patch.kind == FilePatch::Kind::kDelete;
  if (old_name != (created ? "/dev/null" : name.old_name) ||
      new_name != (deleted ? "/dev/null" : name.new_name)) {
    return cursor.fault("patch.names", "`---` and `+++` do not fit the `diff --git` line above",
                        patch.path);
  }
  cursor.skip();
  cursor.skip();
  return {};
}

/// The extended headers of one git file. Gives the kind, or refuses what a variant may not do.
OrRefusal<void> parse_git_headers(Cursor& cursor, FilePatch& patch) {
  constexpr std::string_view kNew = "new file mode ";
  constexpr std::string_view kDeleted = "deleted file mode ";
  for (;; cursor.skip()) {
    const std::string_view line = cursor.peek();
    if (auto ok = check_forbidden(cursor, patch.path); !ok) return ok;
    OrRefusal<void> mode;
    if (line.starts_with(kNew)) {
      patch.kind = FilePatch::Kind::kCreate;
      mode = check_mode(cursor, line.substr(kNew.size()), true, patch.path);
    } else if (line.starts_with(kDeleted)) {
      patch.kind = FilePatch::Kind::kDelete;
      mode = check_mode(cursor, line.substr(kDeleted.size()), false, patch.path);
    } else if (line.starts_with("index ")) {
      const auto space = line.find(' ', 6);
      if (space != std::string_view::npos) {
        mode = check_mode(cursor, line.substr(space + 1), false, patch.path);
      }
    } else if (!line.starts_with("dissimilarity index ")) {
      return {};
    }
    if (!mode) return mode;
  }
}

OrRefusal<FilePatch> parse_git_file(Cursor& cursor) {
  const auto name = git_header_name(cursor.peek().substr(std::string_view("diff --git ").size()));
  if (!name) {
    return cursor.fault("patch.names", "the `diff --git` line does not name one path twice");
  }
  FilePatch patch;
  patch.path = name->path;
  cursor.skip();
  if (auto ok = parse_git_headers(cursor, patch); !ok) return Fault(std::move(ok).error());
  if (!cursor.at_plain_file()) {
    // An empty file that comes or goes has no content to show.
    if (patch.kind != FilePatch::Kind::kModify && !cursor.peek().starts_with("@@")) return patch;
    return cursor.fault("patch.empty", "the file has no `---` and `+++` lines", patch.path);
  }
  if (auto ok = parse_named_sides(cursor, *name, patch); !ok) return Fault(std::move(ok).error());
  if (auto ok = parse_hunks(cursor, patch); !ok) return Fault(std::move(ok).error());
  return patch;
}

OrRefusal<FilePatch> parse_plain_file(Cursor& cursor) {
  const auto old_name = diff_name(cursor.peek().substr(4));
  const auto new_name = diff_name(cursor.peek(1).substr(4));
  if (!old_name || !new_name) return cursor.fault("patch.names", "a file name is badly quoted");
  const bool created = *old_name == "/dev/null";
  const bool deleted = *new_name == "/dev/null";
  const bool prefixed =
      (created || old_name->starts_with("a/")) && (deleted || new_name->starts_with("b/"));
  const std::string old_path = prefixed && !created ? old_name->substr(2) : *old_name;
  const std::string new_path = prefixed && !deleted ? new_name->substr(2) : *new_name;
  if ((created && deleted) || (!created && !deleted && old_path != new_path)) {
    return cursor.fault("patch.names", "`---` and `+++` name " + show_text(*old_name) + " and " +
                                           show_text(*new_name) + ", not one file");
  }
  FilePatch patch;
  if (created) patch.kind = FilePatch::Kind::kCreate;
  if (deleted) patch.kind = FilePatch::Kind::kDelete;
  patch.path = created ? new_path : old_path;
  cursor.skip();
  cursor.skip();
  if (auto ok = parse_hunks(cursor, patch); !ok) return Fault(std::move(ok).error());
  return patch;
}

/// What stands before the first file: a mail header, a commit message, a statistic.
OrRefusal<void> skip_preamble(Cursor& cursor) {
  for (; !cursor.at_git_file() && !cursor.at_plain_file(); cursor.skip()) {
    if (cursor.at_end()) return cursor.fault("patch.empty", "no file begins here");
    if (auto ok = check_forbidden(cursor, {}); !ok) return ok;
    if (cursor.peek().starts_with("@@ -")) {
      return cursor.fault("patch.names", "a hunk without the `---` and `+++` lines of its file");
    }
  }
  return {};
}

/// Between files: an empty line, the command line of `diff -r`. At the end: a mail signature.
/// Anything else is a change that would be lost silently.
OrRefusal<void> skip_between(Cursor& cursor, std::string_view path) {
  while (!cursor.at_end() && !cursor.at_git_file() && !cursor.at_plain_file()) {
    if (auto ok = check_forbidden(cursor, path); !ok) return ok;
    const std::string_view line = cursor.peek();
    const bool signature = line == "-- " && cursor.peek(2).empty() && cursor.peek(3).empty();
    if (signature) cursor.skip();
    if (!signature && !line.empty() && !line.starts_with("diff -")) {
      return cursor.fault("patch.stray",
                          show_text(line) + " belongs to no hunk; a header may count too few lines",
                          path);
    }
    cursor.skip();
  }
  return {};
}

}  // namespace

OrRefusal<std::vector<FilePatch>> parse_unified_diff(std::string_view text) {
  Cursor cursor(text);
  std::vector<FilePatch> patches;
  std::set<std::string> seen;
  if (auto ok = skip_preamble(cursor); !ok) return Fault(std::move(ok).error());
  while (!cursor.at_end()) {
    auto patch = cursor.at_git_file() ? parse_git_file(cursor) : parse_plain_file(cursor);
    if (!patch) return Fault(std::move(patch).error());
    if (!seen.insert(patch->path).second) {
      return cursor.fault("edit.conflict", "the diff has two parts for this file", patch->path);
    }
    if (auto ok = skip_between(cursor, patch->path); !ok) return Fault(std::move(ok).error());
    patches.push_back(std::move(*patch));
  }
  return patches;
}

}  // namespace instar::engine
