#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <utility>

#include "base/result.h"
#include "checkpoints/store.h"
#include "engine/generators/source_file.h"

namespace instar::engine {

/// Parsed files by blob: parents share all but the file they differ in. Bounded by text size, the
/// least recently used go first.
class SourceCache {
 public:
  explicit SourceCache(checkpoints::CheckpointStore& store) : store_(&store) {}

  /// Null for a file that no operator can work on: too large, a NUL inside, unparseable. An Error
  /// only when the store fails.
  Result<std::shared_ptr<const SourceFile>> get(Parser& parser, const checkpoints::TreeEntry& file);

 private:
  /// The same bytes may stand under names of two languages.
  using Key = std::pair<checkpoints::BlobId, const Language*>;
  struct Kept {
    std::shared_ptr<const SourceFile> source;
    std::list<Key>::iterator use;
    std::size_t bytes;
  };
  checkpoints::CheckpointStore* store_;
  std::map<Key, Kept> kept_;
  std::list<Key> uses_;  ///< most recent first
  std::size_t bytes_ = 0;
};

}  // namespace instar::engine
