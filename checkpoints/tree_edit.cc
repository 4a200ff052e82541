#include "checkpoints/tree_edit.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "checkpoints/object_database.h"
#include "checkpoints/tree_change.h"
#include "checkpoints/tree_object.h"

namespace instar::checkpoints {

namespace {

/// A change seen from the directory that is being rewritten.
struct LocalChange {
  std::string_view rest;  ///< of its path, below that directory
  const TreeChange* change;
};

/// What changes under one name of a directory.
struct NameChanges {
  const TreeChange* here = nullptr;  ///< the name itself is set or removed
  std::vector<LocalChange> below;    ///< the name is a directory of these
};

Error conflict(const TreeChange& change, const char* why) {
  return {.code = ErrorCode::kInvalidInput,
          .message = "cannot set '" + escape_for_terminal(change.path) + "': " + why,
          .hint = "remove what stands there in the same change"};
}

Error not_there(const TreeChange& change) {
  return {.code = ErrorCode::kNotFound,
          .message = "cannot remove '" + escape_for_terminal(change.path) + "': it is not there",
          .hint = "see which files the tree has"};
}

class Editor {
 public:
  explicit Editor(const ReadTree& read_tree) : read_tree_(read_tree) {}

  /// Rewrites one directory; nothing: it is empty now.
  Result<std::optional<RawId>> edit(std::optional<RawId> tree,
                                    const std::vector<LocalChange>& changes);
  Result<RawId> keep(ObjectKind kind, std::string bytes, std::vector<RawId> children);
  ObjectMap take() { return std::move(fresh_); }

 private:
  Result<std::optional<TreeLine>> edit_name(std::string_view name,
                                            const std::optional<TreeLine>& current,
                                            const NameChanges& changes);
  Result<TreeLine> set(std::string_view name, const TreeChange& change);

  const ReadTree& read_tree_;
  ObjectMap fresh_;
};

Result<RawId> Editor::keep(ObjectKind kind, std::string bytes, std::vector<RawId> children) {
  const RawId id = INSTAR_TRY(ObjectDatabase::name_of(kind, bytes));
  MemoryObject& object = fresh_[id];
  if (!object.bytes) {
    object = {.kind = kind,
              .bytes = std::make_shared<const std::string>(std::move(bytes)),
              .children = std::move(children)};
  }
  return id;
}

Result<TreeLine> Editor::set(std::string_view name, const TreeChange& change) {
  TreeLine line{.mode = raw_mode(change.mode), .name = std::string(name), .id = {}};
  if (change.mode == FileMode::kGitlink) {
    line.id = CommitId::parse(*change.content)->bytes;
  } else {
    line.id = INSTAR_TRY(keep(ObjectKind::kBlob, *change.content, {}));
  }
  return line;
}

Result<std::optional<TreeLine>> Editor::edit_name(std::string_view name,
                                                  const std::optional<TreeLine>& current,
                                                  const NameChanges& changes) {
  const bool was_tree = current && current->is_tree();
  const bool was_file = current && !current->is_tree();
  const bool sets = changes.here != nullptr && changes.here->content;
  const bool removes = changes.here != nullptr && !changes.here->content;
  if (removes && !was_file) return fail(not_there(*changes.here));
  if (changes.below.empty()) {
    if (removes) return std::optional<TreeLine>{};
    if (was_tree) return fail(conflict(*changes.here, "a directory stands there"));
    return std::optional(INSTAR_TRY(set(name, *changes.here)));
  }
  if (was_file && !removes) {
    const TreeChange& first = *changes.below.front().change;
    return fail(first.content ? conflict(first, "a file stands where its directory would be")
                              : not_there(first));
  }
  const auto old_tree = was_tree ? std::optional(current->id) : std::nullopt;
  const auto edited = INSTAR_TRY(edit(old_tree, changes.below));
  if (sets) {
    if (edited) return fail(conflict(*changes.here, "a directory stands there"));
    return std::optional(INSTAR_TRY(set(name, *changes.here)));
  }
  if (!edited) return std::optional<TreeLine>{};
  return std::optional(TreeLine{.mode = 0040000, .name = std::string(name), .id = *edited});
}

Result<std::optional<RawId>> Editor::edit(std::optional<RawId> tree,
                                          const std::vector<LocalChange>& changes) {
  std::vector<TreeLine> lines;
  if (tree) lines = INSTAR_TRY(tree_lines(*tree, read_tree_));
  std::map<std::string_view, NameChanges> by_name;
  for (const LocalChange& local : changes) {
    const auto slash = local.rest.find('/');
    NameChanges& name = by_name[local.rest.substr(0, slash)];
    if (slash == std::string_view::npos) {
      name.here = local.change;
    } else {
      name.below.push_back({local.rest.substr(slash + 1), local.change});
    }
  }
  for (const auto& [name, change] : by_name) {
    const auto at = std::ranges::find(lines, name, &TreeLine::name);
    const auto current = at == lines.end() ? std::nullopt : std::optional(*at);
    auto edited = INSTAR_TRY(edit_name(name, current, change));
    if (at != lines.end()) lines.erase(at);
    if (edited) lines.insert(std::ranges::upper_bound(lines, *edited, tree_order), *edited);
  }
  if (lines.empty()) return std::optional<RawId>{};
  std::vector<RawId> children;
  children.reserve(lines.size());
  for (const TreeLine& line : lines) children.push_back(line.id);
  return std::optional(
      INSTAR_TRY(keep(ObjectKind::kTree, format_tree(lines), std::move(children))));
}

}  // namespace

Result<EditedTree> edit_tree(const RawId& base, std::span<const TreeChange> changes,
                             const ReadTree& read_tree) {
  INSTAR_CHECK(check_changes(changes));
  std::vector<LocalChange> local;
  for (const TreeChange& change : changes) local.push_back({change.path, &change});
  Editor editor(read_tree);
  auto id = INSTAR_TRY(editor.edit(base, local));
  if (!id) id = INSTAR_TRY(editor.keep(ObjectKind::kTree, {}, {}));
  return EditedTree{.id = *id, .fresh = editor.take()};
}

}  // namespace instar::checkpoints
