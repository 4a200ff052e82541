#include "engine/edit_window/delta_rules.h"

#include "engine/edit_window/path_rules.h"
#include "engine/edit_window/regions.h"

namespace instar::engine {

namespace {

using checkpoints::FileMode;
using checkpoints::TreeDelta;
using checkpoints::TreeEntry;

constexpr const char* kModes =
    "regular files with the mode that the base gives them, and 100644 for new ones";

OrRefusal<void> check_modes(const TreeDelta& delta) {
  if (delta.before) {
    if (auto ok = check_is_file(*delta.before); !ok) return ok;
  }
  if (!delta.after) return {};
  if (auto ok = check_is_file(*delta.after); !ok) return ok;
  const FileMode wanted = delta.before ? delta.before->mode : FileMode::kRegular;
  if (delta.after->mode == wanted) return {};
  const std::string modes = "mode " + std::string(to_string(delta.after->mode)) + " instead of " +
                            std::string(to_string(wanted));
  return delta.before
             ? refuse(delta.path(), "mode.change", "the file gets " + modes, kModes)
             : refuse(delta.path(), "mode.executable", "the new file has " + modes, kModes);
}

}  // namespace

OrRefusal<void> check_is_file(const TreeEntry& entry) {
  // A link would lead a write or a read of the checkout anywhere on the host.
  if (entry.mode == FileMode::kSymlink) {
    return refuse(entry.path, "mode.symlink", "it is a symbolic link", kModes);
  }
  if (entry.mode == FileMode::kGitlink) {
    return refuse(entry.path, "mode.gitlink", "it is a submodule", kModes);
  }
  return {};
}

OrRefusal<void> check_delta(const SurfaceRules& rules, const TreeDelta& delta) {
  if (auto ok = check_path(delta.path()); !ok) return ok;
  if (auto ok = rules.check(delta.path()); !ok) return ok;
  return check_modes(delta);
}

OrRefusal<void> check_content(std::string_view path, const std::optional<std::string>& base,
                              const std::optional<std::string>& after,
                              std::uint64_t max_file_bytes) {
  if (after && after->size() > max_file_bytes) {
    return refuse(path, "content.size", "the file has " + std::to_string(after->size()) + " bytes",
                  "at most " + std::to_string(max_file_bytes) + " bytes in a file");
  }
  if (after && after->find('\0') != std::string::npos) {
    return refuse(path, "content.nul",
                  "the file has a NUL byte at offset " + std::to_string(after->find('\0')),
                  "text files");
  }
  return check_regions(path, base, after);
}

}  // namespace instar::engine
