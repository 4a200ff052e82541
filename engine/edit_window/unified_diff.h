#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/edit_window/refusal.h"

namespace instar::engine {

/// One line of a hunk.
struct DiffLine {
  enum class Kind { kContext, kRemoved, kAdded } kind = Kind::kContext;
  std::string_view text;  ///< without its newline; a `\r` is part of it
  bool newline = true;    ///< false: "\ No newline at end of file" stood below
};

struct Hunk {
  std::uint64_t old_start = 0;  ///< as written, from 1; 0 only when there are no old lines
  std::uint64_t old_count = 0;
  std::vector<DiffLine> lines;
  std::size_t patch_line = 0;  ///< where its header stands in the diff, from 1
};

/// What a diff does to one file.
struct FilePatch {
  enum class Kind { kModify, kCreate, kDelete } kind = Kind::kModify;
  std::string path;
  std::vector<Hunk> hunks;
};

/// Reads a diff as `git diff`, `git format-patch` or `diff -u` print it; the result holds views
/// into `text`. Text before the first file and a mail signature after the last are skipped; nothing
/// else is. Refused by name: renames, copies, mode changes, symbolic links, submodules, binary and
/// combined diffs, hunks whose counts do not add up, stray lines, two parts for one file. The new
/// side's line numbers follow from the old side's and are not compared.
OrRefusal<std::vector<FilePatch>> parse_unified_diff(std::string_view text);

/// The file after the patch; nothing: deleted. Exact: every context and removed line must stand at
/// the stated line, byte for byte. `before`: nothing when there is no such file.
OrRefusal<std::optional<std::string>> apply_file_patch(const FilePatch& patch,
                                                       const std::optional<std::string>& before);

}  // namespace instar::engine
