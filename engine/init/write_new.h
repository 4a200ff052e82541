#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace instar::engine {

/// Writes a file that must not exist yet, whole or not at all: even one that appears meanwhile is
/// never replaced. kInvalidInput when something of that name is there, a link that leads nowhere
/// included.
Result<void> write_new_file(const std::filesystem::path& path, std::string_view text);

}  // namespace instar::engine
