#include "checkpoints/object_memory.h"

#include <algorithm>
#include <unordered_set>

namespace instar::checkpoints {

const MemoryObject* ObjectMemory::find(const RawId& id) const {
  const auto found = nodes_.find(id);
  return found == nodes_.end() ? nullptr : &found->second.object;
}

// An object that is here already keeps its links: only a new one links its children, so that each
// link is counted once.
ObjectMemory::Node* ObjectMemory::adopt(const RawId& id, ObjectMap& fresh) {
  if (const auto found = nodes_.find(id); found != nodes_.end()) return &found->second;
  const auto found = fresh.find(id);
  if (found == fresh.end()) return nullptr;  // on disk
  Node& node = nodes_[id];  // stays where it is: unordered_map does not move its values
  node.object = std::move(found->second);
  for (const RawId& child : node.object.children) {
    if (Node* held = adopt(child, fresh)) ++held->links;
  }
  return &node;
}

void ObjectMemory::hold(const RawId& root, ObjectMap& fresh) {
  if (Node* node = adopt(root, fresh)) ++node->holds;
}

void ObjectMemory::release(const RawId& root) {
  const auto found = nodes_.find(root);
  if (found == nodes_.end() || found->second.holds == 0) return;
  --found->second.holds;
  release_if_unused(root);
}

void ObjectMemory::release_if_unused(const RawId& id) {
  const auto found = nodes_.find(id);
  if (found == nodes_.end() || found->second.holds > 0 || found->second.links > 0) return;
  const std::vector<RawId> children = std::move(found->second.object.children);
  nodes_.erase(found);
  for (const RawId& child : children) {
    const auto held = nodes_.find(child);
    if (held == nodes_.end() || held->second.links == 0) continue;
    --held->second.links;
    release_if_unused(child);
  }
}

std::vector<NamedObject> ObjectMemory::reachable(const RawId& root) const {
  std::vector<NamedObject> found;
  std::unordered_set<RawId, RawIdHash> seen;
  const auto visit = [&](const auto& self, const RawId& id) -> void {
    const MemoryObject* object = find(id);
    if (object == nullptr || !seen.insert(id).second) return;
    for (const RawId& child : object->children) self(self, child);
    found.push_back({id, object->kind, object->bytes});
  };
  visit(visit, root);
  std::ranges::stable_partition(
      found, [](const NamedObject& object) { return object.kind == ObjectKind::kBlob; });
  return found;
}

void ObjectMemory::drop(const std::vector<NamedObject>& written) {
  for (const NamedObject& object : written) nodes_.erase(object.id);
}

}  // namespace instar::checkpoints
