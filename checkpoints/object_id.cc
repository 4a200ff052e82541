#include "checkpoints/object_id.h"

#include "base/sha256.h"

namespace instar::checkpoints {

namespace {

/// The value of a lower-case hex digit, or -1.
int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

template <class Tag>
std::string ObjectId<Tag>::hex() const {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

template <class Tag>
std::optional<ObjectId<Tag>> ObjectId<Tag>::parse(std::string_view hex) {
  ObjectId id;
  if (hex.size() != 2 * id.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    const int high = digit(hex[2 * i]);
    const int low = digit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    id.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return id;
}

template struct ObjectId<BlobTag>;
template struct ObjectId<TreeTag>;
template struct ObjectId<CommitTag>;

}  // namespace instar::checkpoints
