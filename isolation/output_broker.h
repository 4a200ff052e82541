#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/sha256.h"
#include "isolation/cell.h"

namespace instar::isolation {

/// What may be taken out of a tree that a hostile program wrote.
struct BrokerCaps {
  std::uint64_t bytes = 64 * kMiB;  ///< of all files together
  std::uint64_t files = 100'000;
  std::uint64_t depth = 128;  ///< nested directories
};

/// Reads one file below the directory `root`. Only when no cell runs there: a live one could hold
/// a lease on the file or swap it. The name is resolved beneath a held descriptor, through no
/// symlink, and must lead to a regular file with one link and at most `max_bytes`. Anything else is
/// kRefused with the reason; a missing file is kNotFound.
Result<std::string> read_beneath(const std::filesystem::path& root, const std::string& name,
                                 std::uint64_t max_bytes);

/// The declared outputs of a command, in order, each with its bytes or the reason why it stayed.
std::vector<OutputFile> collect_outputs(const std::filesystem::path& root,
                                        const std::vector<std::string>& names,
                                        const BrokerCaps& caps);

/// Every regular file below `root`, relative, `/`-separated, sorted by bytes. Symlinks, devices,
/// FIFOs and sockets are not listed and not followed; a directory that cannot be read is an error.
Result<std::vector<std::string>> list_files(const std::filesystem::path& root,
                                            const BrokerCaps& caps = {});

/// SHA-256 of each named file's content. A path that is missing, or is anything but a regular file
/// with one link reached through no symlink, or cannot be read, is absent from the answer, so that
/// it differs from whatever was there before.
Result<std::map<std::string, Digest>> hash_files(const std::filesystem::path& root,
                                                 const std::vector<std::string>& paths,
                                                 const BrokerCaps& caps = {.bytes = 4 * kGiB});

}  // namespace instar::isolation
