#include "checkpoints/tree_walk.h"

#include <algorithm>

#include "base/text.h"
#include "checkpoints/tree_object.h"

namespace instar::checkpoints {

namespace {

/// Deeper than any honest tree; a hostile one must not exhaust the stack.
constexpr int kDeepest = 512;

/// More than any repository that is worked on has; a few hundred bytes of trees that name each
/// other can stand for billions of files.
constexpr std::size_t kMostFiles = 1'000'000;

Error too_many() {
  return {.code = ErrorCode::kInvalidInput,
          .message = "the tree has more than 1,000,000 files",
          .hint = "begin from a commit with fewer"};
}

Error too_deep(const std::string& path) {
  return {.code = ErrorCode::kInvalidInput,
          .message = "the tree is nested deeper than 512 directories below '" +
                     escape_for_terminal(path.substr(0, 64)) + "'",
          .hint = "flatten it"};
}

TreeEntry entry_of(const std::string& prefix, const TreeLine& line) {
  return {.path = prefix + line.name, .mode = file_mode(line.mode), .blob = {line.id}};
}

/// Calls `visit` with every file below a tree, in order of paths, until it says false: too many.
template <class Visit>
Result<void> walk(const RawId& tree, const std::string& prefix, int depth,
                  const ReadTree& read_tree, const Visit& visit) {
  if (depth > kDeepest) return fail(too_deep(prefix));
  for (const TreeLine& line : INSTAR_TRY(tree_lines(tree, read_tree))) {
    if (line.is_tree()) {
      INSTAR_CHECK(walk(line.id, prefix + line.name + "/", depth + 1, read_tree, visit));
    } else if (!visit(entry_of(prefix, line))) {
      return fail(too_many());
    }
  }
  return {};
}

class Differ {
 public:
  explicit Differ(const ReadTree& read_tree) : read_tree_(read_tree) {}
  Result<void> compare(const RawId& before, const RawId& after, const std::string& prefix,
                       int depth);
  std::vector<TreeDelta> take() { return std::move(deltas_); }

 private:
  enum class Side { kBefore, kAfter };
  Result<void> only(Side side, const TreeLine& line, const std::string& prefix, int depth);
  const ReadTree& read_tree_;
  std::vector<TreeDelta> deltas_;
};

Result<void> Differ::only(Side side, const TreeLine& line, const std::string& prefix, int depth) {
  const auto add = [&](TreeEntry entry) {
    TreeDelta& delta = deltas_.emplace_back();
    (side == Side::kBefore ? delta.before : delta.after) = std::move(entry);
    return deltas_.size() <= kMostFiles;
  };
  if (line.is_tree()) {
    return walk(line.id, prefix + line.name + "/", depth + 1, read_tree_, add);
  }
  add(entry_of(prefix, line));
  return {};
}

Result<void> Differ::compare(const RawId& before, const RawId& after, const std::string& prefix,
                             int depth) {
  if (before == after) return {};
  if (depth > kDeepest) return fail(too_deep(prefix));
  const auto old_lines = INSTAR_TRY(tree_lines(before, read_tree_));
  const auto new_lines = INSTAR_TRY(tree_lines(after, read_tree_));
  auto was = old_lines.begin();
  auto is = new_lines.begin();
  while (was != old_lines.end() || is != new_lines.end()) {
    if (is == new_lines.end() || (was != old_lines.end() && tree_order(*was, *is))) {
      INSTAR_CHECK(only(Side::kBefore, *was++, prefix, depth));
    } else if (was == old_lines.end() || tree_order(*is, *was)) {
      INSTAR_CHECK(only(Side::kAfter, *is++, prefix, depth));
    } else {
      if (was->is_tree()) {
        INSTAR_CHECK(compare(was->id, is->id, prefix + was->name + "/", depth + 1));
      } else if (was->id != is->id || file_mode(was->mode) != file_mode(is->mode)) {
        deltas_.push_back({entry_of(prefix, *was), entry_of(prefix, *is)});
      }
      ++was;
      ++is;
    }
  }
  return {};
}

}  // namespace

Result<std::vector<TreeEntry>> list_tree(const RawId& tree, const ReadTree& read_tree) {
  std::vector<TreeEntry> entries;
  INSTAR_CHECK(walk(tree, "", 0, read_tree, [&](TreeEntry entry) {
    entries.push_back(std::move(entry));
    return entries.size() <= kMostFiles;
  }));
  return entries;
}

Result<std::optional<TreeEntry>> find_in_tree(const RawId& tree, std::string_view path,
                                              const ReadTree& read_tree) {
  RawId directory = tree;
  std::string prefix;
  for (auto rest = path;;) {
    const auto slash = rest.find('/');
    const auto name = rest.substr(0, slash);
    const auto lines = INSTAR_TRY(tree_lines(directory, read_tree));
    const auto at = std::ranges::find(lines, name, &TreeLine::name);
    const bool last = slash == std::string_view::npos;
    if (at == lines.end() || at->is_tree() == last) return std::optional<TreeEntry>{};
    if (last) return std::optional(entry_of(prefix, *at));
    prefix += at->name + "/";
    directory = at->id;
    rest.remove_prefix(slash + 1);
  }
}

Result<std::vector<TreeDelta>> diff_trees(const RawId& before, const RawId& after,
                                          const ReadTree& read_tree) {
  Differ differ(read_tree);
  INSTAR_CHECK(differ.compare(before, after, "", 0));
  return differ.take();
}

}  // namespace instar::checkpoints
