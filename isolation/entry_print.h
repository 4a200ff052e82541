#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/sha256.h"

namespace instar::isolation {

/// What tells whether an entry of a tree is still the one it was: a regular file by its mode and
/// content, a symlink by where it leads.
struct EntryPrint {
  mode_t mode = 0;         ///< type and permission bits
  std::uint64_t size = 0;  ///< of the content or of the symlink's text
  Digest digest;           ///< of the same
  bool operator==(const EntryPrint&) const = default;
};

/// The largest file that is printed: it is read as a whole.
inline constexpr std::uint64_t kLargestPrinted = 1ULL << 30;

/// The print of one entry below a directory that `hold_tree` holds. Only when no cell runs there.
///
/// kNotFound: it is missing. kRefused: it is neither a symlink nor a regular file with one link, is
/// larger than kLargestPrinted, lies behind a symlink, or is shut against us. kIo: our own failure,
/// which says nothing about the entry.
Result<EntryPrint> print_entry(int root, const std::string& name);

/// Whether the entry is still as `before` has it; whatever stands there instead is "no". An Error
/// is our own failure.
Result<bool> is_unchanged(int root, const std::string& name, const EntryPrint& before);

/// Which entry stands under a name, and when anything of it last changed: content, mode, owner,
/// times, number of names, the name itself (inode(7), ctime). Nobody sets a ctime but by setting
/// the clock, so what was changed and put back shows, and reading does not. Two changes within one
/// tick of CLOCK_REALTIME_COARSE (1 to 10 ms) may have the same time. tmpfs gives none to what is
/// written through a mapping.
struct EntryStamp {
  ino_t inode = 0;
  std::chrono::nanoseconds changed{};  ///< since the epoch
  bool operator==(const EntryStamp&) const = default;
};

/// The stamp of one entry of any kind below a directory that `hold_tree` holds; errors as those of
/// print_entry.
Result<EntryStamp> stamp_entry(int root, const std::string& name);

}  // namespace instar::isolation
