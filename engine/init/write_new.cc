#include "engine/init/write_new.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/files.h"
#include "base/random.h"

namespace instar::engine {

namespace fs = std::filesystem;

Result<void> write_new_file(const fs::path& path, std::string_view text) {
  const fs::path temp = path.parent_path() / ("." + path.filename().string() + "." + random_hex(8));
  INSTAR_CHECK(write_file_atomic(temp, text));
  if (::renameat2(AT_FDCWD, temp.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0) {
    const int error = errno;
    ::unlink(temp.c_str());
    if (error == EEXIST) {
      return fail(ErrorCode::kInvalidInput, path.string() + " exists already, and is left as it is",
                  "`instar check` validates it; move it away to write a new one, or use --stdout");
    }
    return fail(Error::system("cannot create " + path.string(), error));
  }
  return sync_directory(path.has_parent_path() ? path.parent_path() : fs::path("."));
}

}  // namespace instar::engine
