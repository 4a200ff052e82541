#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/edit_window/lines.h"
#include "engine/edit_window/unified_diff.h"

using namespace instar::engine;

namespace {

std::size_t lines_of_kind(const FilePatch& patch, DiffLine::Kind kind) {
  std::size_t count = 0;
  for (const Hunk& hunk : patch.hunks) {
    for (const DiffLine& line : hunk.lines) count += line.kind == kind ? 1 : 0;
  }
  return count;
}

}  // namespace

/// The input is a text, a zero byte and a diff. A patch that applies accounts for every line: the
/// new file has the old one's lines, less those removed, plus those added.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto zero = input.find('\0');
  const std::string before(input.substr(0, zero));
  const std::string diff(zero == std::string_view::npos ? "" : input.substr(zero + 1));
  const auto patches = parse_unified_diff(diff);
  if (!patches) return 0;
  if (patches->empty()) std::abort();
  for (const FilePatch& patch : *patches) {
    const bool creates = patch.kind == FilePatch::Kind::kCreate;
    const auto after =
        apply_file_patch(patch, creates ? std::nullopt : std::optional<std::string>(before));
    if (!after) continue;
    const std::size_t old_lines = creates ? 0 : lines_of(before).size();
    const std::size_t new_lines = *after ? lines_of(**after).size() : 0;
    if (new_lines + lines_of_kind(patch, DiffLine::Kind::kRemoved) !=
        old_lines + lines_of_kind(patch, DiffLine::Kind::kAdded)) {
      std::abort();
    }
  }
  return 0;
}
