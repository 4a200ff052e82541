#include "checkpoints/ledger_line.h"

#include <algorithm>
#include <charconv>

#include "base/sha256.h"

namespace instar::checkpoints {

namespace {

/// "2026-01-31T12:34:56.789Z"
bool is_time(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00.000Z";
  return std::ranges::equal(text, kShape, [](char c, char shape) {
    return shape == '0' ? c >= '0' && c <= '9' : c == shape;
  });
}

/// Takes the expected texts off the front of a line.
class Scanner {
 public:
  explicit Scanner(std::string_view line) : rest_(line) {}

  bool literal(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool number(std::uint64_t& value) {
    if (rest_.empty() || rest_.front() < '1' || rest_.front() > '9') return false;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return error == std::errc{};
  }
  bool until_quote(std::string_view& value) {
    const auto end = rest_.find('"');
    if (end == std::string_view::npos) return false;
    value = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace

bool is_plain_word(std::string_view word) {
  return !word.empty() && word.size() <= 64 && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string format_line(const LineHead& head, std::string_view fields) {
  std::string line = R"({"v":1,"seq":)" + std::to_string(head.seq);
  const auto add = [&line](std::string_view key, std::string_view value) {
    line.append(",\"").append(key).append("\":\"").append(value).append("\"");
  };
  add("ts", head.ts);
  add("run", head.run);
  add("type", head.type);
  add("prev", head.prev_hex);
  if (fields.size() > 2)
    line.append(",").append(fields.substr(1));  // more than "{}"
  else
    line += '}';
  return line;
}

Result<LineHead> parse_line(std::string_view line) {
  LineHead head;
  Scanner scan(line);
  if (!scan.literal(R"({"v":1,)")) {
    return fail(ErrorCode::kIntegrity, "it is not a record of format version 1");
  }
  const bool well_formed = scan.literal("\"seq\":") && scan.number(head.seq) &&
                           scan.literal(",\"ts\":\"") && scan.until_quote(head.ts) &&
                           scan.literal(",\"run\":\"") && scan.until_quote(head.run) &&
                           scan.literal(",\"type\":\"") && scan.until_quote(head.type) &&
                           scan.literal(",\"prev\":\"") && scan.until_quote(head.prev_hex);
  if (!well_formed || !is_time(head.ts) || !is_plain_word(head.run) || !is_plain_word(head.type) ||
      !Digest::parse(head.prev_hex)) {
    return fail(ErrorCode::kIntegrity, "the head of the record is malformed");
  }
  const auto rest = scan.rest();
  if (rest != "}" && !(rest.starts_with(",\"") && rest.ends_with('}'))) {
    return fail(ErrorCode::kIntegrity, "the record does not end as one");
  }
  return head;
}

}  // namespace instar::checkpoints
