#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
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

/// Copies the directory `from` into the existing empty directory `to`, walking by descriptors and
/// through no symlink. Content, mode bits (without set-id) and modification times stay, so that
/// make sees what is up to date. Left out: every entry named `.git`, and FIFOs, sockets and
/// devices. A symlink is copied as one only when its target stays below `from`; others are left
/// out.
Result<void> copy_tree(const std::string& from, int to, const CopyOptions& options);

/// Lays changes over the tree at `root`: parents are made where missing, nothing is written through
/// a symlink.
Result<void> apply_changes(int root, const std::vector<FileChange>& changes,
                           const std::optional<Owner>& owner);

}  // namespace instar::isolation
