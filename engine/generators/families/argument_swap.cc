#include <algorithm>
#include <vector>

#include "engine/generators/families/expressions.h"
#include "engine/generators/families/families.h"

namespace instar::engine {

namespace {

/// A call with more is a table of data.
constexpr std::size_t kMostArguments = 12;

bool applies(const Site& site) { return site.self().role == Role::kArguments; }

void enumerate(const Site& site, Candidates& out) {
  const SyntaxTree& tree = site.tree();
  auto arguments = tree.named_children(site.node);
  std::erase_if(arguments, [&](NodeId one) { return tree.at(one).role == Role::kKeywordArgument; });
  if (arguments.size() > kMostArguments) return;
  // Neighbours first: those are what a person mixes up.
  for (std::size_t apart = 1; apart < std::min<std::size_t>(arguments.size(), 4); ++apart) {
    for (std::size_t i = 0; i + apart < arguments.size(); ++i) {
      const std::string_view a = tree.text_of(arguments[i]);
      const std::string_view b = tree.text_of(arguments[i + apart]);
      if (a == b) continue;
      const std::uint32_t begin = tree.at(arguments[i]).begin;
      const std::uint32_t end = tree.at(arguments[i + apart]).end;
      const std::uint32_t a_end = tree.at(arguments[i]).end;
      const std::uint32_t b_begin = tree.at(arguments[i + apart]).begin;
      std::string text(b);
      text += tree.text().substr(a_end, b_begin - a_end);
      text += a;
      out.replace(begin, end, std::move(text));
    }
  }
  if (arguments.size() < 2) return;
  for (const NodeId one : arguments) {
    for (const NodeId other : arguments) {
      if (tree.text_of(one) != tree.text_of(other)) {
        out.replace(site, one, std::string(tree.text_of(other)));
      }
    }
  }
}

}  // namespace

/// Two arguments of a call change places, or one stands for another: the parameter replacer of PAR
/// (Kim et al., ICSE 2013) and the SWAP pattern of Karampatsis and Sutton, "How often do
/// single-statement bugs occur?" (MSR 2020).
const Family kArgumentSwap{"argument-swap", 5, applies, enumerate};

}  // namespace instar::engine
