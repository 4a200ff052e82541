#include "engine/generators/families/statements.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace instar::engine {

namespace {

/// Nearest statements looked at per site: beyond, copies are no likelier than noise, and a large
/// file must not make a step slow.
constexpr std::size_t kLookAround = 256;

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::uint32_t line_end(std::string_view text, std::uint32_t from) {
  return static_cast<std::uint32_t>(std::min(text.find('\n', from), text.size()));
}

bool blank_or_comment(const SyntaxTree& tree, std::string_view rest) {
  const std::size_t at = rest.find_first_not_of(" \t\r");
  if (at == std::string_view::npos) return true;
  rest.remove_prefix(at);
  return rest.starts_with(tree.language().indentation ? "#" : "//");
}

/// Whether all names of a statement are visible at a site; remembers the answer per name, since
/// neighbouring statements share most of theirs.
class Visibility {
 public:
  explicit Visibility(const Site& site) : site_(site) {}
  bool all(const std::vector<NameId>& names) {
    return std::all_of(names.begin(), names.end(), [&](NameId name) {
      const auto [known, fresh] = answers_.emplace(name, false);
      if (fresh) known->second = site_.file.names().visible(name, site_.node);
      return known->second;
    });
  }

 private:
  const Site& site_;
  std::unordered_map<NameId, bool> answers_;
};

}  // namespace

bool owns_lines(const Site& site) {
  const SyntaxTree& tree = site.tree();
  const Node& self = site.self();
  const std::uint32_t begin = tree.line_start(self.begin);
  const std::uint32_t end = line_end(tree.text(), self.end);
  return blank(tree.text().substr(begin, self.begin - begin)) &&
         blank_or_comment(tree, tree.text().substr(self.end, end - self.end));
}

LineSpan lines_of(const Site& site) {
  const std::string_view text = site.tree().text();
  const std::uint32_t end = line_end(text, site.self().end);
  return {site.tree().line_start(site.self().begin),
          std::min(end + 1, static_cast<std::uint32_t>(text.size()))};
}

std::string_view indent_of(const SyntaxTree& tree, NodeId statement) {
  const std::uint32_t begin = tree.line_start(tree.at(statement).begin);
  const std::string_view before = tree.text().substr(begin, tree.at(statement).begin - begin);
  return before.substr(0, std::min(before.find_first_not_of(" \t"), before.size()));
}

std::string_view newline_of(const Site& site) {
  const std::string_view text = site.tree().text();
  const std::uint32_t end = line_end(text, site.self().end);
  return end > 0 && end < text.size() && text[end - 1] == '\r' ? "\r\n" : "\n";
}

std::string reindented(const SyntaxTree& tree, NodeId statement, std::string_view indent) {
  const std::string_view text = tree.text_of(statement);
  const std::string_view own = indent_of(tree, statement);
  std::string made;
  std::size_t at = 0;
  for (;;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (at != 0) {
      made += '\n';
      if (line.starts_with(own) && !blank(line)) {
        made += indent;
        line.remove_prefix(own.size());
      }
    }
    made += line;
    if (end == text.size()) return made;
    at = end + 1;
  }
}

std::vector<NodeId> ingredients(const Site& site, std::size_t most) {
  const auto& all = site.file.statements();
  const SyntaxTree& tree = site.tree();
  const auto here =
      std::lower_bound(all.begin(), all.end(), site.node,
                       [](const Statement& one, NodeId wanted) { return one.node < wanted; });
  const auto from = here - std::min<long>(here - all.begin(), kLookAround);
  const auto to = here + std::min<long>(all.end() - here, kLookAround);
  const NodeId function = site.file.function_of(site.node);
  std::vector<std::tuple<bool, std::uint32_t, NodeId>> ranked;
  for (auto one = from; one != to; ++one) {
    if (one->node == site.node || !one->small) continue;
    // Nothing can hold itself.
    if (tree.at(one->node).begin <= site.self().begin && tree.at(one->node).end > site.self().begin)
      continue;
    const std::uint32_t there = tree.at(one->node).begin;
    const std::uint32_t apart =
        std::max(there, site.self().begin) - std::min(there, site.self().begin);
    ranked.emplace_back(one->function != function, apart, one->node);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<NodeId> chosen;
  Visibility visibility(site);
  std::unordered_set<std::string_view> texts;
  for (const auto& [elsewhere, apart, node] : ranked) {
    if (chosen.size() == most) break;
    if (!visibility.all(site.file.statement_at(node)->names)) continue;
    if (texts.insert(tree.text_of(node)).second) chosen.push_back(node);
  }
  return chosen;
}

}  // namespace instar::engine
