#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checkpoints/git_handle.h"
#include "checkpoints/store.h"

namespace instar::checkpoints {

/// One line of a tree object, as git stores it.
struct TreeLine {
  std::uint32_t mode = 0;  ///< kept as it is, old forms such as 100664 too
  std::string name;
  RawId id{};
  [[nodiscard]] bool is_tree() const { return mode == 0040000; }
};

/// How the mode shows in a TreeEntry; a tree has none.
FileMode file_mode(std::uint32_t mode);
std::uint32_t raw_mode(FileMode mode);

/// git's order within a tree: by bytes, a directory as if its name ended in '/'.
bool tree_order(const TreeLine& a, const TreeLine& b);

/// The lines of a tree object, in its order; malformed bytes are kIntegrity.
Result<std::vector<TreeLine>> parse_tree(std::string_view bytes);
/// Gives the bytes of a tree object, from memory or from disk.
using ReadTree = std::function<Result<std::string>(const RawId& id)>;
/// The lines of the tree object `id`.
Result<std::vector<TreeLine>> tree_lines(const RawId& id, const ReadTree& read_tree);
/// The bytes of a tree object; the lines must be in tree_order.
std::string format_tree(const std::vector<TreeLine>& lines);

}  // namespace instar::checkpoints
