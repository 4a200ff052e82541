#include "engine/edit_window/edit_window.h"

#include <algorithm>
#include <utility>

#include "engine/edit_window/base_names.h"
#include "engine/edit_window/delta_rules.h"
#include "engine/edit_window/edit_plan.h"
#include "engine/edit_window/line_count.h"
#include "engine/edit_window/path_rules.h"

namespace instar::engine {

using checkpoints::CheckpointStore;
using checkpoints::TreeChange;
using checkpoints::TreeDelta;
using checkpoints::TreeEntry;
using checkpoints::TreeId;

namespace {

using Decision = std::variant<Admission, Refusal>;
using Text = std::optional<std::string>;

Result<Decision> decided(Step<Admission> step) {
  if (step) return Decision(std::move(*step));
  if (auto* error = std::get_if<Error>(&step.error())) return fail(std::move(*error));
  return Decision(std::get<Refusal>(std::move(step).error()));
}

std::size_t bytes_of(const WholeFile& edit) {
  return edit.path.size() + (edit.content ? edit.content->size() : 0);
}
std::size_t bytes_of(const UnifiedDiff& edit) { return edit.text.size(); }
std::size_t bytes_of(const SyntaxEdit& edit) {
  return edit.path.size() + edit.expected.size() + edit.replacement.size();
}

/// Looked at before anything is parsed, so that the work on a variant is bounded from the start.
OrRefusal<void> check_amount(const std::vector<Edit>& edits) {
  std::size_t bytes = 0;
  for (const Edit& edit : edits) {
    bytes += std::visit([](const auto& one) { return bytes_of(one); }, edit);
  }
  if (bytes <= kMaxEditBytes) return {};
  return refuse({}, "edit.size", "the edits have " + std::to_string(bytes) + " bytes together",
                "at most " + std::to_string(kMaxEditBytes) + " bytes");
}

OrRefusal<void> check_number(std::size_t files) {
  if (files <= kMaxVariantFiles) return {};
  return refuse({}, "edit.files", "the variant changes " + std::to_string(files) + " files",
                "at most " + std::to_string(kMaxVariantFiles) + " files");
}

tl::unexpected<Refusal> no_change() {
  return refuse({}, "edit.none", "the edits change nothing",
                "edits after which at least one file differs from the parent's");
}

/// A new file needs directories above it; a link there would lead its checkout elsewhere.
Step<void> check_directories_above(CheckpointStore& store, const TreeId& parent,
                                   const std::string& path) {
  for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const auto above = INSTAR_STEP(store.find(parent, path.substr(0, slash)));
    if (!above) continue;
    INSTAR_STEP_CHECK(check_is_file(*above));
  }
  return {};
}

Step<Text> read_entry(CheckpointStore& store, const std::optional<TreeEntry>& entry) {
  if (!entry) return Text();
  return Text(INSTAR_STEP(store.read(entry->blob)));
}

/// The tree must differ from the parent's in just the files that the edits named: a file that
/// vanished because another took the place of its directory would be a change nobody asked for.
Step<void> check_only_named(CheckpointStore& store, const TreeId& parent, const TreeId& tree,
                            const std::vector<TreeChange>& changes) {
  for (const TreeDelta& delta : INSTAR_STEP(store.diff(parent, tree))) {
    const bool named = std::any_of(changes.begin(), changes.end(), [&](const TreeChange& change) {
      return change.path == delta.path();
    });
    if (!named) {
      return refuse(delta.path(), "path.directory", "the edits change this file without naming it",
                    "edits that delete the files of a directory before one takes its place");
    }
  }
  return {};
}

/// A tree in memory that is forgotten unless it is kept: a refused variant leaves nothing behind.
class PendingTree {
 public:
  PendingTree(CheckpointStore& store, TreeId tree) : store_(store), tree_(tree) {}
  PendingTree(const PendingTree&) = delete;
  PendingTree& operator=(const PendingTree&) = delete;
  ~PendingTree() {
    if (!kept_) store_.forget(tree_);
  }
  [[nodiscard]] const TreeId& id() const { return tree_; }
  void keep() { kept_ = true; }

 private:
  CheckpointStore& store_;
  TreeId tree_;
  bool kept_ = false;
};

/// The tree that the changes make. The paths have passed every rule, so what the store still
/// objects to is a file where a directory stands, or the reverse: a fault of the variant.
Step<TreeId> make_tree(CheckpointStore& store, const TreeId& parent,
                       const std::vector<TreeChange>& changes) {
  auto tree = store.with_changes(parent, changes);
  if (!tree && tree.error().code == ErrorCode::kInvalidInput) {
    return refuse({}, "path.directory", tree.error().message,
                  "paths that keep files files and directories directories, or edits that delete "
                  "what stands there first");
  }
  return INSTAR_STEP(std::move(tree));
}

}  // namespace

EditWindow::EditWindow(Surface surface, CheckpointStore& store, TreeId base)
    : surface_(std::move(surface)),
      store_(store),
      base_(base),
      rules_(SurfaceRules::compile(surface_)),
      names_(std::make_unique<BaseNames>(store, base)) {}

EditWindow::EditWindow(EditWindow&&) noexcept = default;
EditWindow::~EditWindow() = default;

Result<Decision> EditWindow::admit(const TreeId& parent, const std::vector<Edit>& edits) {
  return decided(try_admit(parent, edits));
}

Result<Decision> EditWindow::check(const TreeId& tree) { return decided(try_check(tree)); }

Step<Admission> EditWindow::try_admit(const TreeId& parent, const std::vector<Edit>& edits) {
  if (!rules_) return tl::unexpected<Stop>(rules_.error());
  const auto changes = INSTAR_STEP(apply(parent, edits));
  PendingTree tree(store_, INSTAR_STEP(make_tree(store_, parent, changes)));
  INSTAR_STEP_CHECK(check_only_named(store_, parent, tree.id(), changes));
  auto admission = INSTAR_STEP(try_check(tree.id()));
  tree.keep();
  return admission;
}

Step<std::vector<TreeChange>> EditWindow::apply(const TreeId& parent,
                                                const std::vector<Edit>& edits) {
  INSTAR_STEP_CHECK(check_amount(edits));
  const auto plans = INSTAR_STEP(plan_edits(edits));
  INSTAR_STEP_CHECK(check_number(plans.size()));
  // Every path first: no file of the parent is read for a variant that may not touch it.
  for (const FilePlan& plan : plans) {
    INSTAR_STEP_CHECK(check_path(plan.path));
    INSTAR_STEP_CHECK(rules_->check(plan.path));
  }
  std::vector<TreeChange> changes;
  for (const FilePlan& plan : plans) {
    const auto entry = INSTAR_STEP(store_.find(parent, plan.path));
    if (entry) INSTAR_STEP_CHECK(check_is_file(*entry));
    if (!entry) INSTAR_STEP_CHECK(check_directories_above(store_, parent, plan.path));
    const Text before = INSTAR_STEP(read_entry(store_, entry));
    Text after = INSTAR_STEP(apply_plan(plan, before));
    if (after == before) continue;
    const auto base_entry = INSTAR_STEP(store_.find(base_, plan.path));
    if (base_entry) INSTAR_STEP_CHECK(check_is_file(*base_entry));
    const Text base = INSTAR_STEP(read_entry(store_, base_entry));
    INSTAR_STEP_CHECK(check_content(plan.path, base, after, surface_.max_file_bytes));
    changes.push_back({.path = plan.path,
                       .content = std::move(after),
                       .mode = entry        ? entry->mode
                               : base_entry ? base_entry->mode
                                            : checkpoints::FileMode::kRegular});
  }
  if (changes.empty()) return no_change();
  return changes;
}

Step<Admission> EditWindow::try_check(const TreeId& tree) {
  if (!rules_) return tl::unexpected<Stop>(rules_.error());
  Admission admission{.tree = tree, .deltas = INSTAR_STEP(store_.diff(base_, tree))};
  INSTAR_STEP_CHECK(check_number(admission.deltas.size()));
  for (const TreeDelta& delta : admission.deltas) INSTAR_STEP_CHECK(check_delta(*rules_, delta));
  INSTAR_STEP_CHECK(names_->check(admission.deltas));
  for (const TreeDelta& delta : admission.deltas) {
    const Text base = INSTAR_STEP(read_entry(store_, delta.before));
    const Text after = INSTAR_STEP(read_entry(store_, delta.after));
    INSTAR_STEP_CHECK(check_content(delta.path(), base, after, surface_.max_file_bytes));
    admission.patch_lines += changed_lines(base.value_or(""), after.value_or(""));
  }
  admission.patch_files = admission.deltas.size();
  return admission;
}

}  // namespace instar::engine
