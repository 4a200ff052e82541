#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/edit_window/edit_window.h"
#include "tests/support/fake_store.h"

namespace instar::engine::edit_window_test {

using checkpoints::FakeStore;
using checkpoints::FileMode;
using checkpoints::TreeChange;
using checkpoints::TreeId;

inline const std::string kBlocks = "head\n# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END\ntail\n";
inline constexpr const char* kCommit = "0123456789012345678901234567890123456789";

inline const Surface kSurface{
    .allow = {{"src/**", "instar.yaml:4"}, {"*.md", "instar.yaml:4"}},
    .deny = {{"src/vendor/**", "instar.yaml:5"}},
    .protect = {{"src/tests/**", "instar.yaml:6"}, {"*.lock", "safety.yaml:9"}},
    .max_file_bytes = 4096};

/// A base with one file of each kind, and the window in front of it.
struct Window {
  FakeStore store;
  TreeId base = store.add_tree({{"src/a.c", "one\ntwo\nthree\n"},
                                {"src/b.c", "b\n"},
                                {"src/run.sh", "run\n", FileMode::kExecutable},
                                {"src/blocks.py", kBlocks},
                                {"src/bad_blocks.py", "# EVOLVE-BLOCK-START\n"},
                                {"src/lib/x.c", "x\n"},
                                {"src/lib/y.c", "y\n"},
                                {"src/mixed/keep.lock", "lock\n"},
                                {"src/mixed/z.c", "z\n"},
                                {"src/link", "/etc/passwd", FileMode::kSymlink},
                                {"src/module", kCommit, FileMode::kGitlink},
                                {"src/tests/t.c", "test\n"},
                                {"src/vendor/v.c", "vendor\n"},
                                {"src/\xC3\xA9.c", "accent\n"},
                                {"Makefile", "all:\n"},
                                {"src/deps.lock", "1\n"}});
  EditWindow window{kSurface, store, base};

  std::variant<Admission, Refusal> admit(const std::vector<Edit>& edits) {
    return window.admit(base, edits).value();
  }
  /// Builds the tree past the window, as a fault in applying edits would, and checks it.
  std::variant<Admission, Refusal> check(const std::vector<TreeChange>& changes) {
    return window.check(store.with_changes(base, changes).value()).value();
  }
  /// The content of a file of an admitted tree; "absent".
  std::string content(const TreeId& tree, const std::string& path) {
    const auto entry = store.find(tree, path).value();
    return entry ? store.read(entry->blob).value() : "absent";
  }
};

/// The rule of a refusal, or "admitted".
inline std::string rule(const std::variant<Admission, Refusal>& decision) {
  const auto* refusal = std::get_if<Refusal>(&decision);
  return refusal == nullptr ? "admitted" : refusal->rule;
}

inline std::vector<Edit> write(const std::string& path, const std::string& content = "x\n") {
  return {WholeFile{path, content}};
}
inline std::vector<Edit> remove(const std::string& path) { return {WholeFile{path, std::nullopt}}; }
}  // namespace instar::engine::edit_window_test
