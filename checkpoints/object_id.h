#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace instar::checkpoints {

/// The SHA-1 name of a git object; the tag keeps a tree's id from being used as a commit's.
template <class Tag>
struct ObjectId {
  std::array<std::uint8_t, 20> bytes{};
  [[nodiscard]] std::string hex() const;
  /// From 40 hex digits; nothing for any other text.
  static std::optional<ObjectId> parse(std::string_view hex);
  auto operator<=>(const ObjectId&) const = default;
};

using BlobId = ObjectId<struct BlobTag>;
using TreeId = ObjectId<struct TreeTag>;
using CommitId = ObjectId<struct CommitTag>;

}  // namespace instar::checkpoints
