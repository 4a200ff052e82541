#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "isolation/cell.h"

namespace instar::isolation {

/// Who owns a copy. Nothing: whoever makes it.
struct Owner {
  uid_t user;
  gid_t group;
};

struct CopyOptions {
  std::optional<Owner> owner;
  /// Only what this user owns is copied: a file of somebody else in a tree that a hostile program
  /// wrote is there by a trick. Nothing: whatever is there.
  std::optional<uid_t> only_of;
  std::uint64_t most_bytes = 16 * kGiB;  ///< data, holes not counted
  std::uint64_t most_entries = 1'000'000;
};

/// Whether a symlink in a directory `depth` levels below the top of a tree leads nowhere outside of
/// it. Judged by its text alone: after a name, `..` could climb through another symlink, so then it
/// may lead outside.
bool stays_inside(std::string_view target, unsigned depth);

/// Copies the held directory `from` into the existing empty directory `to`, walking by descriptors
/// and through no symlink. Content, mode bits (without set-id) and modification times stay, so that
/// make sees what is up to date; several names of one file stay that. Left out: every entry named
/// `.git`, and FIFOs, sockets and devices. A symlink is copied as its text, wherever it leads: who
/// reads the copy on the host must follow none. A directory that cannot be read to its end is an
/// Error, never a part taken for the whole. A tree that is too large, has too many entries or is
/// nested too deep is kInvalidInput.
Result<void> copy_tree(int from, int to, const CopyOptions& options);

/// Lays changes over the tree at `root`: parents are made where missing, nothing is written through
/// a symlink.
Result<void> apply_changes(int root, const std::vector<FileChange>& changes,
                           const std::optional<Owner>& owner);

}  // namespace instar::isolation
