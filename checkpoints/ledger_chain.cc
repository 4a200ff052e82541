#include "checkpoints/ledger_chain.h"

#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace instar::checkpoints {

namespace {

constexpr std::size_t kChunk = 1UL << 20;

class ChainChecker {
 public:
  ChainChecker(const std::string& name, const std::function<void(const ChainRecord&)>& each)
      : name_(name), each_(each), prev_hex_(Digest{}.hex()) {}

  Result<void> check(std::string_view line);
  [[nodiscard]] Error broken(const std::string& why) const;
  [[nodiscard]] const LedgerPosition& last() const { return last_; }

 private:
  const std::string& name_;
  const std::function<void(const ChainRecord&)>& each_;
  LedgerPosition last_;
  std::string prev_hex_;
  std::string run_;
};

Error ChainChecker::broken(const std::string& why) const {
  return {.code = ErrorCode::kIntegrity,
          .message = escape_for_terminal(name_) + ":" + std::to_string(last_.seq + 1) +
                     ": the chain is broken: " + why,
          .hint =
              "something else than instar changed this file; restore it from a backup, or start "
              "a new run"};
}

Result<void> ChainChecker::check(std::string_view line) {
  const auto head = parse_line(line);
  if (!head) return fail(broken(head.error().message));
  if (head->seq != last_.seq + 1) {
    return fail(broken("its sequence number is " + std::to_string(head->seq)));
  }
  if (head->prev_hex != prev_hex_) {
    return fail(broken("`prev` is not the hash of the line before"));
  }
  if (last_.seq == 0) run_ = head->run;
  if (head->run != run_) return fail(broken("it belongs to another run"));
  last_ = {.seq = head->seq, .hash = sha256(line)};
  prev_hex_ = last_.hash.hex();
  if (each_) each_({.position = last_, .head = *head, .line = line});
  return {};
}

}  // namespace

Result<ChainEnd> check_chain(int fd, const std::string& name,
                             const std::function<void(const ChainRecord&)>& each) {
  ChainChecker checker(name, each);
  ChainEnd end;
  std::string buffer;
  std::string last_line;
  for (std::uint64_t offset = 0;;) {
    const std::size_t kept = buffer.size();
    buffer.resize(kept + kChunk);
    const ssize_t got = ::pread(fd, buffer.data() + kept, kChunk, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) {
      buffer.resize(kept);
      continue;
    }
    if (got < 0) return fail(Error::system("cannot read " + name, errno));
    buffer.resize(kept + static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
    if (got == 0) break;
    std::size_t begin = 0;
    std::string_view line;
    for (std::size_t newline = buffer.find('\n', kept); newline != std::string::npos;
         newline = buffer.find('\n', begin)) {
      line = {buffer.data() + begin, newline - begin};
      INSTAR_CHECK(checker.check(line));
      end.whole_bytes += line.size() + 1;
      begin = newline + 1;
    }
    if (begin > 0) last_line = line;
    buffer.erase(0, begin);
    if (buffer.size() > kLongestLine) return fail(checker.broken("it is longer than any record"));
  }
  end.last = checker.last();
  end.torn = std::move(buffer);
  // The parser takes a zero byte for the end of its input.
  const bool is_json =
      last_line.find('\0') == std::string::npos && nlohmann::json::accept(last_line);
  if (end.last.seq > 0 && !is_json) {
    return fail(ErrorCode::kIntegrity, escape_for_terminal(name) + ":" +
                                           std::to_string(end.last.seq) +
                                           ": the last record is not JSON");
  }
  return end;
}

}  // namespace instar::checkpoints
