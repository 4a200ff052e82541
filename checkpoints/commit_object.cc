#include "checkpoints/commit_object.h"

#include <charconv>

#include "base/text.h"

namespace instar::checkpoints {

namespace {

constexpr std::string_view kAddress = "<instar@localhost>";

/// A header line of a commit ends at the newline, and the name in it at '<'.
bool fits_a_header(std::string_view name) {
  if (name.empty() || trim(name) != name) return false;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '<' || c == '>') return false;
  }
  return true;
}

Error malformed(const char* why) {
  return {.code = ErrorCode::kIntegrity,
          .message = std::string("a commit object is malformed: ") + why,
          .hint = "`git fsck` names it"};
}

/// "Name <address> 1700000000 +0000"
bool parse_author(std::string_view text, CommitInfo& info) {
  const auto open = text.find('<');
  const auto close = text.rfind('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return false;
  }
  info.author_name = trim(text.substr(0, open));
  const auto when = trim(text.substr(close + 1));
  return std::from_chars(when.data(), when.data() + when.size(), info.time_s).ec == std::errc{};
}

}  // namespace

Result<std::string> format_commit(const CommitSpec& spec) {
  const auto seconds =
      std::chrono::floor<std::chrono::seconds>(spec.time).time_since_epoch().count();
  if (!fits_a_header(spec.author_name) || seconds < 0) {
    return fail(ErrorCode::kInvalidInput, "a commit cannot have the author '" +
                                              escape_for_terminal(spec.author_name) + "' at " +
                                              std::to_string(seconds));
  }
  if (spec.message.empty() || spec.message.find('\0') != std::string::npos) {
    return fail(ErrorCode::kInvalidInput, "a commit message is empty or has a NUL byte");
  }
  std::string bytes = "tree " + spec.tree.hex() + "\n";
  for (const CommitId& parent : spec.parents) bytes += "parent " + parent.hex() + "\n";
  for (const char* role : {"author ", "committer "}) {
    bytes += role + spec.author_name + " " + std::string(kAddress) + " " + std::to_string(seconds) +
             " +0000\n";
  }
  bytes += "\n" + spec.message;
  if (bytes.back() != '\n') bytes += '\n';
  return bytes;
}

Result<CommitInfo> parse_commit(std::string_view bytes) {
  CommitInfo info;
  bool has_tree = false;
  bool has_author = false;
  for (;;) {
    const auto end = bytes.find('\n');
    if (end == std::string_view::npos) break;
    const auto line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (line.empty()) break;
    if (line.starts_with("tree ")) {
      const auto tree = TreeId::parse(line.substr(5));
      if (!tree || has_tree) return fail(malformed("its tree"));
      info.tree = *tree;
      has_tree = true;
    } else if (line.starts_with("parent ")) {
      const auto parent = CommitId::parse(line.substr(7));
      if (!parent) return fail(malformed("a parent"));
      info.parents.push_back(*parent);
    } else if (line.starts_with("author ")) {
      has_author = parse_author(line.substr(7), info);
    }
  }
  if (!has_tree || !has_author) return fail(malformed("no tree or no author"));
  info.message = bytes;
  return info;
}

}  // namespace instar::checkpoints
