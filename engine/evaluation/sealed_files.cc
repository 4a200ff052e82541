#include "engine/evaluation/sealed_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/text.h"
#include "engine/evaluation/entry_list.h"
#include "engine/evaluation/sealed_links.h"
#include "isolation/beneath.h"

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

/// A directory that is a symlink would be followed by the tests and not by the seal.
Result<void> refuse_symlink(int root, const std::string& directory, const Sourced& pattern) {
  if (directory.empty()) return {};
  const auto opened = isolation::open_beneath(root, directory, O_PATH);
  struct stat info {};
  if (opened && ::fstat(opened->get(), &info) == 0 && !S_ISLNK(info.st_mode)) return {};
  if (!opened && opened.error().code == ErrorCode::kNotFound) return {};
  if (!opened && opened.error().code != ErrorCode::kRefused) return fail(opened.error());
  return fail(ErrorCode::kInvalidInput,
              pattern.source + ": `" + escape_for_terminal(pattern.value) +
                  "` leads through a symlink, behind which nothing can be sealed",
              "name the directory that the symlink leads to");
}

}  // namespace

bool SealedFiles::covers(const std::string& path) const {
  const PathForms forms(path);
  return std::any_of(globs_.begin(), globs_.end(),
                     [&](const Glob& glob) { return glob.matches(forms); });
}

Result<std::set<std::string>> SealedFiles::entries(int root) const {
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
  const Fd held = INSTAR_TRY(isolation::hold_tree(root));
  SealedFiles sealed;
  sealed.globs_ = INSTAR_TRY(compile_globs(patterns, Glob::Use::kProtect));
  std::set<std::string> roots;
  for (const Sourced& pattern : patterns) {
    const std::string directory = static_root(pattern.value);
    INSTAR_CHECK(refuse_symlink(held.get(), directory, pattern));
    roots.insert(directory);
  }
  if (roots.contains("")) roots = {""};
  sealed.roots_.assign(roots.begin(), roots.end());
  for (const std::string& path : INSTAR_TRY(sealed.entries(held.get()))) {
    auto print = isolation::print_entry(held.get(), path);
    if (!print && print.error().code == ErrorCode::kRefused) {
      return fail(ErrorCode::kInvalidInput,
                  "a file cannot be sealed: " + escape_for_terminal(print.error().message),
                  "narrow `sealed`");
    }
    sealed.prints_.emplace(path, INSTAR_TRY(std::move(print)));
    sealed.paths_.push_back(path);
  }
  const Covers covers = [&](const std::string& path) { return sealed.covers(path); };
  for (const auto& [path, print] : sealed.prints_) {
    if (S_ISLNK(print.mode)) INSTAR_CHECK(check_sealed_link(held.get(), path, covers));
  }
  return sealed;
}

Result<SealWatch> SealedFiles::watch(int workspace) const {
  return SealWatch::start(workspace, paths_, *watches_);
}

Result<SealedCheck> SealedFiles::check(int workspace, const std::set<std::string>& allowed) const {
  SealedCheck check;
  if (globs_.empty()) return check;
  std::set<std::string> created = INSTAR_TRY(entries(workspace));
  for (const auto& [path, print] : prints_) {
    const bool there = created.erase(path) != 0;
    const bool same = there && INSTAR_TRY(isolation::is_unchanged(workspace, path, print));
    if (!same && check.changed.empty()) {
      check.changed = "the sealed file " + escape_for_terminal(path) + " was " +
                      (there ? "changed" : "removed");
    }
  }
  check.created.assign(created.begin(), created.end());
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
