#include "base/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace instar {

namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& path, std::size_t max_bytes) {
  const Fd fd = INSTAR_TRY(open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) {
    return fail(Error::system("cannot stat " + path.string(), errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::kInvalidInput, path.string() + " is not a regular file");
  }
  return read_all(fd.get(), max_bytes, path.string());
}

Result<void> sync_directory(const fs::path& directory) {
  const Fd fd = INSTAR_TRY(open_file(directory, O_RDONLY | O_DIRECTORY));
  if (::fsync(fd.get()) != 0) {
    return fail(Error::system("cannot sync " + directory.string(), errno));
  }
  return {};
}

Result<void> write_file_atomic(const fs::path& path, std::string_view data, int mode) {
  std::string temp = path.string() + ".XXXXXX";
  Fd fd(::mkostemp(temp.data(), O_CLOEXEC));
  if (!fd.valid())
    return fail(Error::system("cannot create a file beside " + path.string(), errno));

  auto write_and_rename = [&]() -> Result<void> {
    INSTAR_CHECK(write_all(fd.get(), data, path.string()));
    if (::fchmod(fd.get(), static_cast<mode_t>(mode)) != 0 || ::fsync(fd.get()) != 0) {
      return fail(Error::system("cannot write " + path.string(), errno));
    }
    if (::rename(temp.c_str(), path.c_str()) != 0) {
      return fail(Error::system("cannot rename onto " + path.string(), errno));
    }
    return {};
  };
  if (auto done = write_and_rename(); !done) {
    ::unlink(temp.c_str());
    return done;
  }
  return sync_directory(path.has_parent_path() ? path.parent_path() : fs::path("."));
}

Result<TempDir> TempDir::create(std::string_view prefix, fs::path parent) {
  if (parent.empty()) {
    const char* configured = ::getenv("TMPDIR");
    parent = configured != nullptr && *configured != '\0' ? configured : "/tmp";
  }
  std::string name = (parent / std::string(prefix)).string() + ".XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    return fail(Error::system("cannot create a directory below " + parent.string(), errno));
  }
  return TempDir(fs::path(name));
}

TempDir& TempDir::operator=(TempDir&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TempDir::~TempDir() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace instar
