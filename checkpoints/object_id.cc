#include "checkpoints/object_id.h"

#include "base/sha256.h"

namespace instar::checkpoints {

template <class Tag>
std::string ObjectId<Tag>::hex() const {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

template <class Tag>
std::optional<ObjectId<Tag>> ObjectId<Tag>::parse(std::string_view hex) {
  ObjectId id;
  if (!from_hex(hex, id.bytes)) return std::nullopt;
  return id;
}

template struct ObjectId<BlobTag>;
template struct ObjectId<TreeTag>;
template struct ObjectId<CommitTag>;

}  // namespace instar::checkpoints
