#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"

namespace instar {

/// Owns one file descriptor; closes it at the end of its life.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_ = -1;
};

/// open(2) with O_CLOEXEC always added; the error names the path.
Result<Fd> open_file(const std::filesystem::path& path, int flags, int mode = 0);

/// Writes all of `data`, through short writes and EINTR. `what` names the file in the error.
Result<void> write_all(int fd, std::string_view data, const std::string& what);

/// Reads to the end, at most `max_bytes`; more is an error, not a truncation.
Result<std::string> read_all(int fd, std::size_t max_bytes, const std::string& what);

}  // namespace instar
