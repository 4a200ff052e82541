#pragma once

#include <string>
#include <vector>

namespace instar::cli {

/// A node of a history graph, children before parents.
struct GraphNode {
  std::string id;
  std::vector<std::string> parents;
  std::string label;
};

/// The graph as text, one line a node and connecting lines between, as `git log --graph` draws it.
std::vector<std::string> draw_graph(const std::vector<GraphNode>& nodes);

}  // namespace instar::cli
