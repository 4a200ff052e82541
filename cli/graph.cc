#include "cli/graph.h"

#include <algorithm>

namespace instar::cli {

namespace {

/// Lanes from left to right; each waits for the node with its id.
class Lanes {
 public:
  /// The lane that waits for `id`; a new one at the right when none does.
  std::size_t of(const std::string& id) {
    const auto found = std::find(waiting_.begin(), waiting_.end(), id);
    if (found != waiting_.end()) return static_cast<std::size_t>(found - waiting_.begin());
    waiting_.push_back(id);
    return waiting_.size() - 1;
  }

  [[nodiscard]] std::string node_line(std::size_t lane, const std::string& label) const {
    std::string line;
    for (std::size_t i = 0; i < waiting_.size(); ++i) line += i == lane ? "* " : "| ";
    return line + label;
  }

  /// The node is drawn: its lane now waits for its first parent; further parents get lanes, and
  /// lanes that wait for the same node join. Gives the connecting lines.
  std::vector<std::string> follow(std::size_t lane, const std::vector<std::string>& parents) {
    if (parents.empty()) {
      waiting_.erase(waiting_.begin() + static_cast<long>(lane));
      return {};
    }
    std::vector<std::string> lines;
    waiting_[lane] = parents[0];
    for (std::size_t i = 1; i < parents.size(); ++i) {
      if (std::find(waiting_.begin(), waiting_.end(), parents[i]) != waiting_.end()) continue;
      lines.push_back(bars(lane + 1) + "\\");
      waiting_.insert(waiting_.begin() + static_cast<long>(lane) + 1, parents[i]);
    }
    return lines;
  }

  /// Lanes that wait for `id` beside the first one run into it.
  std::vector<std::string> join(const std::string& id) {
    std::vector<std::string> lines;
    const std::size_t first = of(id);
    for (std::size_t i = waiting_.size(); i-- > first + 1;) {
      if (waiting_[i] != id) continue;
      lines.push_back(bars(first + 1) + std::string((i - first - 1) * 2, '_') + "/");
      waiting_.erase(waiting_.begin() + static_cast<long>(i));
    }
    return lines;
  }

 private:
  static std::string bars(std::size_t count) {
    std::string line;
    for (std::size_t i = 0; i < count; ++i) line += i + 1 < count ? "| " : "|";
    return line;
  }

  std::vector<std::string> waiting_;
};

}  // namespace

std::vector<std::string> draw_graph(const std::vector<GraphNode>& nodes) {
  Lanes lanes;
  std::vector<std::string> out;
  auto append = [&](std::vector<std::string> lines) {
    for (auto& line : lines) out.push_back(std::move(line));
  };
  for (const GraphNode& node : nodes) {
    append(lanes.join(node.id));
    const std::size_t lane = lanes.of(node.id);
    out.push_back(lanes.node_line(lane, node.label));
    append(lanes.follow(lane, node.parents));
  }
  return out;
}

}  // namespace instar::cli
