#include "isolation/keeper.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "base/text.h"
#include "isolation/beneath.h"

namespace instar::isolation {

namespace {

/// The cell's user is neither owner nor group of what is kept.
constexpr bool can_be_kept(mode_t mode) {
  constexpr mode_t kRead = 0444;
  constexpr mode_t kOthersWrite = 022;
  return S_ISLNK(mode) || S_ISDIR(mode) || ((mode & kRead) == kRead && (mode & kOthersWrite) == 0);
}
/// Everybody makes entries, each removes but their own.
constexpr mode_t kSharedDirectory = 01777;

Result<void> give(int root, const std::string& path, const Owner& keeper) {
  const auto failed = [&](const char* what) {
    return fail(
        Error::system(std::string("cannot ") + what + " " + escape_for_terminal(path), errno));
  };
  const Fd entry = INSTAR_TRY(open_beneath(root, path, O_PATH));
  struct stat info {};
  if (::fstat(entry.get(), &info) != 0) return failed("look at");
  if (!can_be_kept(info.st_mode)) return {};
  if (::fchownat(entry.get(), "", keeper.user, keeper.group, AT_EMPTY_PATH) != 0) {
    return failed("give away");
  }
  if (!S_ISDIR(info.st_mode)) return {};
  // Linux has no chmod of an O_PATH descriptor but by its name in /proc.
  const std::string name = "/proc/self/fd/" + std::to_string(entry.get());
  if (::chmod(name.c_str(), kSharedDirectory) != 0) return failed("set the mode of");
  return {};
}

}  // namespace

Result<void> give_to_keeper(int root, std::span<const std::string> paths, const Owner& keeper) {
  if (paths.empty()) return {};
  std::set<std::string> directories;
  for (const std::string& path : paths) {
    INSTAR_CHECK(give(root, path, keeper));
    for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
      directories.insert(path.substr(0, slash));
  }
  for (const std::string& directory : directories) INSTAR_CHECK(give(root, directory, keeper));
  if (::fchown(root, keeper.user, keeper.group) != 0 || ::fchmod(root, kSharedDirectory) != 0) {
    return fail(Error::system("cannot give the top of a tree away", errno));
  }
  return {};
}

}  // namespace instar::isolation
