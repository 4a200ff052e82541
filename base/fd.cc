#include "base/fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace instar {

void Fd::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Result<Fd> open_file(const std::filesystem::path& path, int flags, int mode) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) {
    Error error = Error::system("cannot open " + path.string(), errno);
    if (error.sys_errno == ENOENT || error.sys_errno == ENOTDIR) error.code = ErrorCode::kNotFound;
    return fail(std::move(error));
  }
  return Fd(fd);
}

Result<void> write_all(int fd, std::string_view data, const std::string& what) {
  while (!data.empty()) {
    const ssize_t written = ::write(fd, data.data(), data.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return fail(Error::system("cannot write " + what, errno));
    }
    data.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::string> read_all(int fd, std::size_t max_bytes, const std::string& what) {
  std::string out;
  char buffer[65536];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0) {
      if (errno == EINTR) continue;
      return fail(Error::system("cannot read " + what, errno));
    }
    if (got == 0) return out;
    if (out.size() + static_cast<std::size_t>(got) > max_bytes) {
      return fail(ErrorCode::kInvalidInput,
                  what + " is larger than the " + std::to_string(max_bytes) + " bytes allowed");
    }
    out.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace instar
