#include "engine/evaluation/sealed_files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "engine/evaluation/entry_list.h"
#include "isolation/output_broker.h"

namespace instar::engine {

namespace {

/// The longest leading part of a pattern that has no wildcard and is a directory: only there can a
/// match lie. A bare name may match anywhere.
std::string static_root(const std::string& pattern) {
  if (pattern.find('/') == std::string::npos) return {};
  std::string root;
  for (const std::string_view part : split(pattern, '/')) {
    if (part.find_first_of("*?") != std::string_view::npos) return root;
    if (!root.empty()) root += '/';
    root += part;
  }
  const auto slash = root.rfind('/');
  return slash == std::string::npos ? std::string() : root.substr(0, slash);
}

bool python_bytecode(const std::string& path) {
  return path.ends_with(".pyc") || path.starts_with("__pycache__/") ||
         path.find("/__pycache__/") != std::string::npos;
}

}  // namespace

bool SealedFiles::covers(const std::string& path) const {
  const PathForms forms(path);
  return std::any_of(globs_.begin(), globs_.end(),
                     [&](const Glob& glob) { return glob.matches(forms); });
}

Result<std::set<std::string>> SealedFiles::entries(const std::filesystem::path& root) const {
  std::set<std::string> found;
  for (const std::string& directory : roots_) {
    for (std::string& path : INSTAR_TRY(list_entries(root, directory))) {
      if (covers(path)) found.insert(std::move(path));
    }
  }
  return found;
}

Result<SealedFiles> SealedFiles::make(const std::vector<Sourced>& patterns,
                                      const std::filesystem::path& root) {
  SealedFiles sealed;
  sealed.globs_ = INSTAR_TRY(compile_globs(patterns, Glob::Use::kProtect));
  std::set<std::string> roots;
  for (const Sourced& pattern : patterns) roots.insert(static_root(pattern.value));
  if (roots.contains("")) roots = {""};
  sealed.roots_.assign(roots.begin(), roots.end());
  sealed.present_ = INSTAR_TRY(sealed.entries(root));
  sealed.hashes_ =
      INSTAR_TRY(isolation::hash_files(root, {sealed.present_.begin(), sealed.present_.end()}));
  return sealed;
}

Result<SealedCheck> SealedFiles::check(const std::filesystem::path& workspace,
                                       const std::set<std::string>& allowed) const {
  SealedCheck check;
  if (globs_.empty()) return check;
  const std::set<std::string> now = INSTAR_TRY(entries(workspace));
  const auto hashes =
      INSTAR_TRY(isolation::hash_files(workspace, {present_.begin(), present_.end()}));
  for (const std::string& path : present_) {
    const auto before = hashes_.find(path);
    const auto after = hashes.find(path);
    const bool same = before == hashes_.end()
                          ? after == hashes.end() && now.contains(path)
                          : after != hashes.end() && after->second == before->second;
    if (!same && check.changed.empty()) {
      check.changed = "the sealed file " + escape_for_terminal(path) + " was " +
                      (now.contains(path) ? "changed" : "removed");
    }
  }
  std::set_difference(now.begin(), now.end(), present_.begin(), present_.end(),
                      std::back_inserter(check.created));
  for (const std::string& path : check.created) {
    if (!allowed.contains(path)) {
      if (check.appeared.empty()) {
        check.appeared = "a file appeared among the sealed ones: " + escape_for_terminal(path);
      }
    } else if (python_bytecode(path)) {
      INSTAR_CHECK(remove_entry(workspace, path));
    }
  }
  return check;
}

}  // namespace instar::engine
