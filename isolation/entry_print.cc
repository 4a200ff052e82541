#include "isolation/entry_print.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "base/fd.h"
#include "isolation/beneath.h"

namespace instar::isolation {

namespace {

/// An entry and what can be said of it without reading it.
struct Looked {
  Fd held;  ///< O_PATH
  EntryPrint print;
};

Result<Looked> look(int root, const std::string& name) {
  Fd held = INSTAR_TRY(open_beneath(root, name, O_PATH));
  struct stat info {};
  if (::fstat(held.get(), &info) != 0) return fail(Error::system("cannot stat " + name, errno));
  if (!S_ISLNK(info.st_mode) && !S_ISREG(info.st_mode)) {
    return fail(ErrorCode::kRefused, name + " is neither a regular file nor a symlink");
  }
  // Through another name it could be changed where no pattern looks.
  if (S_ISREG(info.st_mode) && info.st_nlink != 1) {
    return fail(ErrorCode::kRefused, name + " has another name elsewhere (a hard link)");
  }
  Looked looked{.held = std::move(held), .print = {}};
  looked.print.mode = info.st_mode & (S_IFMT | 07777);
  looked.print.size = static_cast<std::uint64_t>(info.st_size);
  return looked;
}

Result<std::string> read_link(int held, const std::string& name) {
  std::array<char, PATH_MAX> text{};
  const ssize_t length = ::readlinkat(held, "", text.data(), text.size());
  if (length < 0) return fail(Error::system("cannot read the symlink " + name, errno));
  return std::string(text.data(), static_cast<std::size_t>(length));
}

Result<std::string> read_content(int root, const std::string& name, std::uint64_t size) {
  if (size > kLargestPrinted) {
    return fail(ErrorCode::kRefused,
                name + " is larger than " + std::to_string(kLargestPrinted) + " bytes");
  }
  // O_NONBLOCK: opening a file under a lease must not wait for the other side.
  const Fd fd = INSTAR_TRY(open_beneath(root, name, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  return read_all(fd.get(), size, name);
}

Result<Digest> digest_of(int root, const std::string& name, const Looked& looked) {
  return sha256(S_ISLNK(looked.print.mode)
                    ? INSTAR_TRY(read_link(looked.held.get(), name))
                    : INSTAR_TRY(read_content(root, name, looked.print.size)));
}

}  // namespace

Result<EntryPrint> print_entry(int root, const std::string& name) {
  Looked looked = INSTAR_TRY(look(root, name));
  looked.print.digest = INSTAR_TRY(digest_of(root, name, looked));
  return looked.print;
}

Result<bool> is_unchanged(int root, const std::string& name, const EntryPrint& before) {
  const auto no_or = [](const Error& error) -> Result<bool> {
    if (error.code == ErrorCode::kNotFound || error.code == ErrorCode::kRefused) return false;
    return fail(error);
  };
  const auto looked = look(root, name);
  if (!looked) return no_or(looked.error());
  // What differs already is not read: it may be as large as the workspace.
  if (looked->print.mode != before.mode || looked->print.size != before.size) return false;
  const auto digest = digest_of(root, name, *looked);
  if (!digest) return no_or(digest.error());
  return *digest == before.digest;
}

Result<EntryStamp> stamp_entry(int root, const std::string& name) {
  const Fd held = INSTAR_TRY(open_beneath(root, name, O_PATH));
  struct stat info {};
  if (::fstat(held.get(), &info) != 0) return fail(Error::system("cannot stat " + name, errno));
  return EntryStamp{.inode = info.st_ino,
                    .changed = std::chrono::seconds(info.st_ctim.tv_sec) +
                               std::chrono::nanoseconds(info.st_ctim.tv_nsec)};
}

}  // namespace instar::isolation
