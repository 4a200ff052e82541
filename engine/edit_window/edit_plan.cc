#include "engine/edit_window/edit_plan.h"

#include <map>

#include "engine/edit_window/syntax_edit.h"

namespace instar::engine {

namespace {

using Fault = tl::unexpected<Refusal>;

/// Collects one FilePlan per path, in the order of paths.
class Planner {
 public:
  OrRefusal<void> add(const WholeFile& file) { return add_only(file.path, &file); }

  OrRefusal<void> add(const UnifiedDiff& diff) {
    auto patches = parse_unified_diff(diff.text);
    if (!patches) return Fault(std::move(patches).error());
    for (FilePatch& patch : *patches) {
      const std::string path = patch.path;
      if (auto ok = add_only(path, std::move(patch)); !ok) return ok;
    }
    return {};
  }

  OrRefusal<void> add(const SyntaxEdit& edit) {
    const auto [at, fresh] = plans_.try_emplace(edit.path, FilePlan{edit.path, SyntaxEdits{}});
    auto* edits = std::get_if<SyntaxEdits>(&at->second.how);
    if (edits == nullptr) return conflict(edit.path);
    edits->edits.push_back(&edit);
    return {};
  }

  std::vector<FilePlan> take() {
    std::vector<FilePlan> out;
    for (auto& [path, plan] : plans_) out.push_back(std::move(plan));
    return out;
  }

 private:
  template <class How>
  OrRefusal<void> add_only(const std::string& path, How how) {
    if (!plans_.try_emplace(path, FilePlan{path, std::move(how)}).second) return conflict(path);
    return {};
  }

  static Fault conflict(const std::string& path) {
    return refuse(path, "edit.conflict",
                  "two edits change this file, and their order is not defined",
                  "one whole file, one diff, or syntax edits that do not overlap");
  }

  std::map<std::string, FilePlan> plans_;
};

OrRefusal<std::optional<std::string>> apply_whole(const WholeFile& file,
                                                  const std::optional<std::string>& before) {
  if (file.content || before) return file.content;
  return refuse(file.path, "inexact", "the edit deletes a file that the parent does not have",
                "a path of the parent's tree");
}

}  // namespace

OrRefusal<std::vector<FilePlan>> plan_edits(const std::vector<Edit>& edits) {
  Planner planner;
  for (const Edit& edit : edits) {
    auto ok = std::visit([&planner](const auto& one) { return planner.add(one); }, edit);
    if (!ok) return Fault(std::move(ok).error());
  }
  return planner.take();
}

OrRefusal<std::optional<std::string>> apply_plan(const FilePlan& plan,
                                                 const std::optional<std::string>& before) {
  if (const auto* whole = std::get_if<const WholeFile*>(&plan.how)) {
    return apply_whole(**whole, before);
  }
  if (const auto* patch = std::get_if<FilePatch>(&plan.how)) {
    return apply_file_patch(*patch, before);
  }
  return apply_syntax_edits(plan.path, std::get<SyntaxEdits>(plan.how).edits, before);
}

}  // namespace instar::engine
