#include "engine/edit_window/line_count.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/edit_window/lines.h"

namespace instar::engine {

namespace {

using Lines = std::vector<std::string_view>;
using Words = std::vector<std::uint64_t>;

/// About half a second of work: no variant may hold the edit window longer.
constexpr std::uint64_t kMostLinePairs = std::uint64_t{1} << 34;

void drop_common_ends(std::span<const std::string_view>& a, std::span<const std::string_view>& b) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a = a.subspan(1);
    b = b.subspan(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a = a.first(a.size() - 1);
    b = b.first(b.size() - 1);
  }
}

/// For each distinct line of `a`, the positions where it stands, as a list while few and as a bit
/// set when many, so that neither memory nor time is quadratic in the number of lines.
class Positions {
 public:
  explicit Positions(std::span<const std::string_view> a) : words_((a.size() + 63) / 64) {
    for (std::size_t i = 0; i < a.size(); ++i) lists_[a[i]].push_back(i);
    for (auto& [line, list] : lists_) {
      if (list.size() > words_) set(sets_.try_emplace(line, words_, 0U).first->second, list);
    }
  }

  [[nodiscard]] std::size_t words() const { return words_; }

  /// Calls `use` with the bit set of `line`, if `a` has the line at all.
  template <class Use>
  void with(std::string_view line, Words& scratch, Use use) const {
    if (const auto dense = sets_.find(line); dense != sets_.end()) return use(dense->second);
    const auto sparse = lists_.find(line);
    if (sparse == lists_.end()) return;
    set(scratch, sparse->second);
    use(scratch);
    for (const std::size_t i : sparse->second) scratch[i / 64] = 0;
  }

 private:
  static void set(Words& words, const std::vector<std::size_t>& positions) {
    for (const std::size_t i : positions) words[i / 64] |= std::uint64_t{1} << (i % 64);
  }

  std::size_t words_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> lists_;
  std::unordered_map<std::string_view, Words> sets_;
};

/// Length of the longest common subsequence, 64 lines at a time (H. Hyyrö, "Bit-parallel
/// LCS-length computation revisited", 2004): a zero bit i says that the subsequence grows at line
/// i.
std::uint64_t common_lines(std::span<const std::string_view> a,
                           std::span<const std::string_view> b) {
  const Positions positions(a);
  Words row(positions.words(), ~std::uint64_t{0});
  Words scratch(positions.words(), 0);
  for (const std::string_view line : b) {
    positions.with(line, scratch, [&row](const Words& match) {
      std::uint64_t carry = 0;
      for (std::size_t w = 0; w < row.size(); ++w) {
        const std::uint64_t hit = row[w] & match[w];
        std::uint64_t sum = row[w] + carry;
        const bool overflow = sum < carry;
        sum += hit;
        carry = (overflow || sum < hit) ? 1 : 0;
        row[w] = sum | (row[w] & ~match[w]);
      }
    });
  }
  std::uint64_t common = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((row[i / 64] >> (i % 64) & 1) == 0) ++common;
  }
  return common;
}

}  // namespace

std::uint64_t changed_lines(std::string_view before, std::string_view after) {
  const Lines before_lines = lines_of(before);
  const Lines after_lines = lines_of(after);
  std::span<const std::string_view> a = before_lines;
  std::span<const std::string_view> b = after_lines;
  drop_common_ends(a, b);
  const std::uint64_t all = a.size() + b.size();
  if (a.empty() || b.empty() || a.size() > kMostLinePairs / b.size()) return all;
  return all - 2 * common_lines(a, b);
}

}  // namespace instar::engine
