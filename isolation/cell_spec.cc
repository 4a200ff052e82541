#include "isolation/cell_spec.h"

#include <string>
#include <utility>

namespace instar::isolation {

Result<void> check_spec(const CellSpec& spec) {
  const auto bad = [](std::string what, std::string hint = {}) {
    return fail(ErrorCode::kInvalidInput, std::move(what), std::move(hint));
  };
  if (spec.argv.empty() || spec.argv.front().empty()) return bad("there is no command to run");
  for (const auto& argument : spec.argv) {
    if (argument.find('\0') != std::string::npos) return bad("an argument contains a NUL byte");
  }
  const Limits& limits = spec.limits;
  const std::pair<const char*, bool> zeros[] = {
      {"wall", limits.wall.count() <= 0},         {"cpu", limits.cpu.count() <= 0},
      {"memory", limits.memory_bytes == 0},       {"processes", limits.processes == 0},
      {"open_files", limits.open_files == 0},     {"file_size", limits.file_size_bytes == 0},
      {"workspace", limits.workspace_bytes == 0}, {"inodes", limits.inodes == 0},
      {"output", limits.output_bytes == 0},
  };
  for (const auto& [name, zero] : zeros) {
    if (zero)
      return bad(std::string("the limit ") + name + " is zero", "zero never means unlimited");
  }
  return {};
}

}  // namespace instar::isolation
