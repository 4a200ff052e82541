#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "checkpoints/git_handle.h"

namespace instar::checkpoints {

enum class ObjectKind { kBlob, kTree, kCommit };

struct RawIdHash {
  std::size_t operator()(const RawId& id) const {
    std::size_t value = 0;  // the id is a hash already: any of its bytes will do
    std::memcpy(&value, id.data(), sizeof value);
    return value;
  }
};

/// An object that is not on disk (yet).
struct MemoryObject {
  ObjectKind kind = ObjectKind::kBlob;
  std::shared_ptr<const std::string> bytes;
  std::vector<RawId> children;  ///< of a tree: what of its content may be in memory too
};
using ObjectMap = std::unordered_map<RawId, MemoryObject, RawIdHash>;

/// An object to write to disk.
struct NamedObject {
  RawId id;
  ObjectKind kind;
  std::shared_ptr<const std::string> bytes;
};

/// The objects of trees that nobody has committed, counted, so that a tree that is forgotten
/// releases what only it holds. Not thread-safe.
class ObjectMemory {
 public:
  /// The object, or nullptr.
  [[nodiscard]] const MemoryObject* find(const RawId& id) const;
  /// Holds the tree `root` once more. Of `fresh` (moved from) those objects are kept that it
  /// reaches and that are not here yet.
  void hold(const RawId& root, ObjectMap& fresh);
  /// Undoes one hold; unknown ids are ignored.
  void release(const RawId& root);
  /// Everything here that `root` reaches, blobs first, a tree after what it holds.
  [[nodiscard]] std::vector<NamedObject> reachable(const RawId& root) const;
  /// Drops objects that are on disk now.
  void drop(const std::vector<NamedObject>& written);

  [[nodiscard]] std::size_t objects() const { return nodes_.size(); }

 private:
  struct Node {
    MemoryObject object;
    int links = 0;  ///< from trees in memory
    int holds = 0;  ///< from outside
  };
  Node* adopt(const RawId& id, ObjectMap& fresh);
  void release_if_unused(const RawId& id);
  std::unordered_map<RawId, Node, RawIdHash> nodes_;
};

}  // namespace instar::checkpoints
