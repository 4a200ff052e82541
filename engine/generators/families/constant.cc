#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

/// A number split into what counts and what stays: `0x` and the suffix `UL`.
struct Number {
  std::int64_t value = 0;
  bool hex = false;
  std::string_view suffix;
};

std::optional<Number> parse_integer(std::string_view text) {
  Number number;
  number.hex = text.starts_with("0x") || text.starts_with("0X");
  // An octal `010` is not ten.
  if (!number.hex && text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') {
    return std::nullopt;
  }
  const char* begin = text.data() + (number.hex ? 2 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(begin, end, number.value, number.hex ? 16 : 10);
  if (fault != std::errc{} || number.value > (std::int64_t{1} << 60)) return std::nullopt;
  number.suffix = {stop, static_cast<std::size_t>(end - stop)};
  if (number.suffix.find_first_not_of("uUlL") != std::string_view::npos) return std::nullopt;
  return number;
}

std::string spell(const Number& like, std::int64_t value) {
  std::array<char, 24> digits{};
  const std::int64_t magnitude = value < 0 ? -value : value;
  const auto end = std::to_chars(digits.begin(), digits.end(), magnitude, like.hex ? 16 : 10).ptr;
  std::string text = value < 0 ? "-" : "";
  if (like.hex) text += "0x";
  text.append(digits.begin(), end);
  text += like.suffix;
  return text;
}

/// The minus sign's expression when the number is negated by one.
NodeId with_sign(const Site& site) {
  const NodeId parent = site.self().parent;
  if (parent == kNoNode || site.parent().role != Role::kUnary) return kNoNode;
  const NodeId op = operator_of(site.tree(), parent);
  return op != kNoNode && site.tree().text_of(op) == "-" ? parent : kNoNode;
}

void enumerate_integer(const Site& site, const Number& number, Candidates& out) {
  const NodeId negated = with_sign(site);
  const NodeId whole = negated == kNoNode ? site.node : negated;
  const std::int64_t value = negated == kNoNode ? number.value : -number.value;
  // A sign right behind an operator is the arithmetic family's business: `x - 1` to `x + 1`.
  const Role around = site.tree().at(site.tree().at(whole).parent).role;
  const bool signs = around != Role::kBinary && number.suffix.empty() && !number.hex;
  std::vector<std::int64_t> values{value + 1, value - 1, 0, 1, -1, -value, 2};
  std::vector<std::int64_t> done{value};
  for (const std::int64_t one : values) {
    if (std::find(done.begin(), done.end(), one) != done.end()) continue;
    done.push_back(one);
    if (one < 0 && !signs && negated == kNoNode) continue;
    out.replace(site, whole, spell(number, one));
  }
}

void enumerate_real(const Site& site, Candidates& out) {
  const std::string_view text = site.text();
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) return;
  if (text.find('.') == std::string_view::npos) return;
  for (const std::string_view other : {"0.0", "1.0", "0.5", "2.0"}) {
    if (other != text) out.replace(site, site.node, std::string(other));
  }
}

bool applies(const Site& site) { return site.self().role == Role::kInteger; }

void enumerate(const Site& site, Candidates& out) {
  if (const auto number = parse_integer(site.text())) {
    enumerate_integer(site, *number, out);
  } else {
    enumerate_real(site, out);
  }
}

}  // namespace

/// CRCR ("required constants": 0, 1, -1, n + 1, n - 1, -n) of Agrawal et al., "Design of mutant
/// operators for C" (1989).
const Family kConstant{"constant", 7, applies, enumerate};

}  // namespace instar::engine
