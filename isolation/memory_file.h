#pragma once

#include <cstddef>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace instar::isolation {

/// An anonymous file in memory, closed on exec.
Result<Fd> make_memory_file(const char* name);

/// All of it from its beginning, at most `max_bytes`.
Result<std::string> read_memory_file(int fd, std::size_t max_bytes);

}  // namespace instar::isolation
