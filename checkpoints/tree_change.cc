#include "checkpoints/tree_change.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "base/text.h"

namespace instar::checkpoints {

std::string_view to_string(FileMode mode) {
  switch (mode) {
    case FileMode::kRegular:
      return "100644";
    case FileMode::kExecutable:
      return "100755";
    case FileMode::kSymlink:
      return "120000";
    case FileMode::kGitlink:
      return "160000";
  }
  return "";
}

namespace {

/// A tree that holds `.git` makes a later checkout write into the user's own repository.
bool is_git_directory(std::string_view part) {
  return std::ranges::equal(part, std::string_view(".git"), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

}  // namespace

Result<void> check_path(std::string_view path) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorCode::kInvalidInput,
                "the path '" + escape_for_terminal(path) + "' cannot stand in a tree: " + why,
                "name files relative to the root of the repository");
  };
  if (path.find('\0') != std::string_view::npos) return refuse("it has a NUL byte");
  for (const auto part : split(path, '/')) {
    if (part.empty()) return refuse("it has an empty part");
    if (part == "." || part == "..") return refuse("it has a '" + std::string(part) + "' part");
    if (is_git_directory(part)) return refuse("'.git' is git's own");
  }
  return {};
}

Result<void> check_changes(std::span<const TreeChange> changes) {
  std::unordered_set<std::string_view> seen;
  for (const TreeChange& change : changes) {
    INSTAR_CHECK(check_path(change.path));
    if (!seen.insert(change.path).second) {
      return fail(ErrorCode::kInvalidInput,
                  "the path '" + escape_for_terminal(change.path) + "' is changed twice",
                  "give each path one final content");
    }
    if (change.content && change.mode == FileMode::kGitlink && !CommitId::parse(*change.content)) {
      return fail(ErrorCode::kInvalidInput,
                  "the gitlink '" + escape_for_terminal(change.path) + "' names no commit",
                  "its content is a commit's 40 hex digits");
    }
  }
  return {};
}

}  // namespace instar::checkpoints
