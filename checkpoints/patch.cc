#include "checkpoints/patch.h"

#include <git2.h>

#include <cstdio>

#include "checkpoints/git_handle.h"
#include "checkpoints/json_text.h"

namespace instar::checkpoints {

namespace {

/// A path as git writes it in a patch: plain, or quoted when a byte in it would confuse a reader.
std::string quoted(const std::string& path) {
  bool plain = as_utf8(path) == path;
  for (const char c : path) {
    plain = plain && static_cast<unsigned char>(c) >= 0x20 && c != 0x7F && c != '"' && c != '\\';
  }
  if (plain) return path;
  std::string out = "\"";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7F) {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", byte);
      out += octal;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// git ends a name that has a space with a tab, so that it is not cut there.
std::string name_line(const char* marker, const std::string& path) {
  const std::string name = quoted(path);
  const bool cut = name.front() != '"' && name.find(' ') != std::string::npos;
  return marker + name + (cut ? "\t\n" : "\n");
}

std::string header(const TreeDelta& delta) {
  const std::string& path = delta.path();
  std::string out = "diff --git " + quoted("a/" + path) + " " + quoted("b/" + path) + "\n";
  const auto mode = [](const TreeEntry& entry) { return std::string(to_string(entry.mode)); };
  const std::string zero = BlobId{}.hex();
  const std::string old_id = delta.before ? delta.before->blob.hex() : zero;
  const std::string new_id = delta.after ? delta.after->blob.hex() : zero;
  bool same_mode = false;
  if (!delta.before) {
    out += "new file mode " + mode(*delta.after) + "\n";
  } else if (!delta.after) {
    out += "deleted file mode " + mode(*delta.before) + "\n";
  } else if (delta.before->mode != delta.after->mode) {
    out += "old mode " + mode(*delta.before) + "\nnew mode " + mode(*delta.after) + "\n";
  } else {
    same_mode = true;
  }
  if (old_id != new_id) {
    out += "index " + old_id + ".." + new_id + (same_mode ? " " + mode(*delta.after) : "") + "\n";
  }
  return out;
}

/// The text that stands for an entry; a gitlink's is what git shows of a submodule.
Result<std::string> content(CheckpointStore& store, const std::optional<TreeEntry>& entry) {
  if (!entry) return std::string();
  if (entry->mode == FileMode::kGitlink) return "Subproject commit " + entry->blob.hex() + "\n";
  return store.read(entry->blob);
}

struct Hunks {
  std::string text;
  bool binary = false;
};

int collect(const git_diff_delta*, const git_diff_hunk*, const git_diff_line* line, void* payload) {
  auto& hunks = *static_cast<Hunks*>(payload);
  switch (line->origin) {
    case GIT_DIFF_LINE_ADDITION:
    case GIT_DIFF_LINE_DELETION:
    case GIT_DIFF_LINE_CONTEXT:
      hunks.text += line->origin;
      break;
    case GIT_DIFF_LINE_HUNK_HDR:
    case GIT_DIFF_LINE_CONTEXT_EOFNL:
    case GIT_DIFF_LINE_ADD_EOFNL:
    case GIT_DIFF_LINE_DEL_EOFNL:
      break;
    default:  // the file's header, which is ours
      return 0;
  }
  hunks.text.append(line->content, line->content_len);
  return 0;
}

Result<Hunks> compare(const std::string& before, const std::string& after) {
  git_diff_options options;
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.context_lines = 3;
  git_patch* raw = nullptr;
  if (git_patch_from_buffers(&raw, before.data(), before.size(), nullptr, after.data(),
                             after.size(), nullptr, &options) != 0) {
    return fail(last_git_error(ErrorCode::kInternal, "cannot compare two files"));
  }
  const GitPtr<git_patch> patch(raw);
  Hunks hunks;
  hunks.binary = (git_patch_get_delta(raw)->flags & GIT_DIFF_FLAG_BINARY) != 0;
  if (!hunks.binary && git_patch_print(raw, collect, &hunks) != 0) {
    return fail(last_git_error(ErrorCode::kInternal, "cannot compare two files"));
  }
  return hunks;
}

Result<void> add_file(CheckpointStore& store, const TreeDelta& delta, std::string& patch) {
  const std::string before = INSTAR_TRY(content(store, delta.before));
  const std::string after = INSTAR_TRY(content(store, delta.after));
  const std::string& path = delta.path();
  patch += header(delta);
  Hunks hunks;
  if (before != after) hunks = INSTAR_TRY(compare(before, after));
  const std::string old_name = delta.before ? "a/" + path : "/dev/null";
  const std::string new_name = delta.after ? "b/" + path : "/dev/null";
  if (hunks.binary) {
    patch += "Binary files " + quoted(old_name) + " and " + quoted(new_name) + " differ\n";
  } else if (!hunks.text.empty()) {
    patch += name_line("--- ", old_name) + name_line("+++ ", new_name) + hunks.text;
  }
  return {};
}

/// git shows a file that changes its kind as one that goes and one that comes.
bool changes_kind(const TreeDelta& delta) {
  if (!delta.before || !delta.after) return false;
  const auto kind = [](FileMode mode) {
    return mode == FileMode::kExecutable ? FileMode::kRegular : mode;
  };
  return kind(delta.before->mode) != kind(delta.after->mode);
}

}  // namespace

Result<std::string> make_patch(CheckpointStore& store, const TreeId& before, const TreeId& after) {
  INSTAR_CHECK(start_git());
  std::string patch;
  const auto deltas = INSTAR_TRY(store.diff(before, after));
  for (const TreeDelta& delta : deltas) {
    if (changes_kind(delta)) {
      INSTAR_CHECK(add_file(store, {.before = delta.before, .after = std::nullopt}, patch));
      INSTAR_CHECK(add_file(store, {.before = std::nullopt, .after = delta.after}, patch));
    } else {
      INSTAR_CHECK(add_file(store, delta, patch));
    }
  }
  return patch;
}

}  // namespace instar::checkpoints
