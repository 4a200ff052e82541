#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/generators/source_file.h"

namespace instar::engine {

/// One possible edit of a file: the bytes [begin, end) become `text`.
struct Candidate {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string text;
};

/// Where a family looks: one node of one file.
struct Site {
  const SourceFile& file;
  NodeId node;

  [[nodiscard]] const SyntaxTree& tree() const { return file.tree(); }
  [[nodiscard]] const Language& language() const { return file.tree().language(); }
  [[nodiscard]] const Node& self() const { return tree().at(node); }
  [[nodiscard]] const Node& parent() const { return tree().at(self().parent); }
  [[nodiscard]] std::string_view text() const { return tree().text_of(node); }
};

/// What a family says about a site, likeliest first: the order is the rank.
class Candidates {
 public:
  void replace(const Site& site, NodeId node, std::string text) {
    const Node& at = site.tree().at(node);
    replace(at.begin, at.end, std::move(text));
  }
  void replace(std::uint32_t begin, std::uint32_t end, std::string text) {
    all_.push_back({begin, end, std::move(text)});
  }
  [[nodiscard]] const std::vector<Candidate>& all() const { return all_; }

 private:
  std::vector<Candidate> all_;
};

/// A mutation operator family: one file in families/, one line in families.cc. Both functions are
/// pure, so that an edit can be found again from (file, node, rank).
struct Family {
  std::string_view name;
  /// Its share of the proposals against the other families', before anything is learned.
  double weight;
  /// Cheap, asked of every node: may this be a site? Never asked of broken nodes.
  bool (*applies)(const Site& site);
  /// The edits at a site; may be none.
  void (*enumerate)(const Site& site, Candidates& out);
};

/// All families, cheap and likely ones first.
std::span<const Family* const> families();

}  // namespace instar::engine
