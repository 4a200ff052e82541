#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "isolation/cell.h"

namespace instar::isolation {

/// What a workspace of layers may take of memory.
struct LayerLimits {
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;
};

/// The launcher's side of workspaces: each is an overlay of what its commands wrote, in a tmpfs of
/// bounded size, above layers that nobody writes to: the base of the target, and what stood when a
/// snapshot was taken. Making one costs the same whatever is in the base.
class LayerStore {
 public:
  /// Makes workspace `id` above `base`, a path below the scratch directory (empty: nothing), lays
  /// `changes` over it and gives its directory.
  Result<Fd> open(std::uint64_t id, const std::string& base, const LayerLimits& limits,
                  const std::vector<FileChange>& changes);

  struct Pair {
    Fd original;
    Fd copy;
  };
  /// Makes workspace `copy` as `id` stands now. The directory of `id` is another one from then on:
  /// close the one you hold before, or the kernel warns that a layer is in use twice.
  Result<Pair> snapshot(std::uint64_t id, std::uint64_t copy, const LayerLimits& limits);

  /// Forgets it; what no cell and no other workspace uses is freed.
  void close(std::uint64_t id);

  /// Where the overlay of a workspace is mounted.
  static std::string merged(std::uint64_t id);

 private:
  struct Layers {
    std::vector<std::string> lower;  ///< topmost first
    unsigned upper = 0;              ///< number of the directory that is written to
  };
  Result<Fd> mount_upper(std::uint64_t id, const Layers& layers);
  Result<Fd> make(std::uint64_t id, Layers layers, const LayerLimits& limits);

  std::map<std::uint64_t, Layers> open_;
};

}  // namespace instar::isolation
