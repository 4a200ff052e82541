#include "checkpoints/tree_object.h"

#include <algorithm>
#include <charconv>

namespace instar::checkpoints {

FileMode file_mode(std::uint32_t mode) {
  switch (mode & 0170000) {
    case 0120000:
      return FileMode::kSymlink;
    case 0160000:
      return FileMode::kGitlink;
    default:
      return (mode & 0100) != 0 ? FileMode::kExecutable : FileMode::kRegular;
  }
}

std::uint32_t raw_mode(FileMode mode) {
  switch (mode) {
    case FileMode::kRegular:
      return 0100644;
    case FileMode::kExecutable:
      return 0100755;
    case FileMode::kSymlink:
      return 0120000;
    case FileMode::kGitlink:
      return 0160000;
  }
  return 0;
}

bool tree_order(const TreeLine& a, const TreeLine& b) {
  const std::size_t common = std::min(a.name.size(), b.name.size());
  const int order = a.name.compare(0, common, b.name, 0, common);
  if (order != 0) return order < 0;
  const auto end = [common](const TreeLine& line) {
    if (line.name.size() > common) return static_cast<unsigned char>(line.name[common]);
    return static_cast<unsigned char>(line.is_tree() ? '/' : '\0');
  };
  return end(a) < end(b);
}

Result<std::vector<TreeLine>> parse_tree(std::string_view bytes) {
  const auto malformed = [](const char* why) {
    return fail(ErrorCode::kIntegrity, std::string("a tree object is malformed: ") + why,
                "`git fsck` names it");
  };
  std::vector<TreeLine> lines;
  while (!bytes.empty()) {
    TreeLine line;
    const auto [after_mode, error] =
        std::from_chars(bytes.data(), bytes.data() + bytes.size(), line.mode, 8);
    if (error != std::errc{}) return malformed("no mode");
    bytes.remove_prefix(static_cast<std::size_t>(after_mode - bytes.data()));
    const auto name_end = bytes.find('\0');
    if (!bytes.starts_with(' ') || name_end == std::string_view::npos || name_end < 2) {
      return malformed("no name");
    }
    line.name = bytes.substr(1, name_end - 1);
    // A name with a slash would let one entry stand for a path that the scope check never saw.
    if (line.name.find('/') != std::string::npos) return malformed("a name with a slash");
    bytes.remove_prefix(name_end + 1);
    if (bytes.size() < line.id.size()) return malformed("it ends within an id");
    std::copy_n(bytes.begin(), line.id.size(), line.id.begin());
    bytes.remove_prefix(line.id.size());
    lines.push_back(std::move(line));
  }
  return lines;
}

Result<std::vector<TreeLine>> tree_lines(const RawId& id, const ReadTree& read_tree) {
  const std::string bytes = INSTAR_TRY(read_tree(id));
  return parse_tree(bytes);
}

std::string format_tree(const std::vector<TreeLine>& lines) {
  std::string bytes;
  char octal[16];
  for (const TreeLine& line : lines) {
    const auto end = std::to_chars(std::begin(octal), std::end(octal), line.mode, 8).ptr;
    bytes.append(octal, static_cast<std::size_t>(end - octal));
    bytes += ' ';
    bytes += line.name;
    bytes += '\0';
    bytes.append(reinterpret_cast<const char*>(line.id.data()), line.id.size());
  }
  return bytes;
}

}  // namespace instar::checkpoints
