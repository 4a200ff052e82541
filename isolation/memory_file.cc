#include "isolation/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace instar::isolation {

Result<Fd> make_memory_file(const char* name) {
  Fd fd(::memfd_create(name, MFD_CLOEXEC));
  if (!fd.valid()) return fail(Error::system("cannot create a file in memory", errno));
  return fd;
}

Result<std::string> read_memory_file(int fd, std::size_t max_bytes) {
  if (::lseek(fd, 0, SEEK_SET) != 0) {
    return fail(Error::system("cannot rewind a file in memory", errno));
  }
  return read_all(fd, max_bytes, "a file in memory");
}

}  // namespace instar::isolation
