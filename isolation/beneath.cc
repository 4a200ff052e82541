#include "isolation/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace instar::isolation {

namespace {

/// Names are taken by their parts: `a/`, `./a` and `a//b` would be resolved by rules of their own.
bool is_plain(std::string_view name) {
  if (name.empty() || name.size() > 4096 || name.find('\0') != std::string_view::npos) return false;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('/', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") return false;
    at = end + 1;
  }
  return true;
}

}  // namespace

Result<Fd> hold_tree(const std::filesystem::path& root) {
  return open_file(root, O_PATH | O_DIRECTORY | O_NOFOLLOW);
}

Result<Fd> open_beneath(int root, const std::string& name, int flags) {
  if (!is_plain(name)) {
    return fail(ErrorCode::kRefused, name + " is not a plain relative path");
  }
  const open_how how{
      .flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC | O_NOFOLLOW,
      .mode = 0,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
  Fd fd(static_cast<int>(::syscall(SYS_openat2, root, name.c_str(), &how, sizeof how)));
  if (fd.valid()) return fd;
  switch (errno) {
    case ENOENT:
    case ENOTDIR:
      return fail(ErrorCode::kNotFound, name + " is missing");
    case ELOOP:
      return fail(ErrorCode::kRefused, name + " is a symlink or lies behind one");
    case EXDEV:
    case EACCES:
    case ENXIO:
    case EWOULDBLOCK: {
      Error error = Error::system(name + " cannot be opened", errno);
      error.code = ErrorCode::kRefused;
      return fail(std::move(error));
    }
    default:
      return fail(Error::system("cannot open " + name, errno));
  }
}

bool not_there(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kRefused;
}

}  // namespace instar::isolation
