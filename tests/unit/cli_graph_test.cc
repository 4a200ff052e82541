#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "cli/graph.h"

namespace instar::cli {
namespace {

std::string drawn(const std::vector<GraphNode>& nodes) { return join(draw_graph(nodes), "\n"); }

TEST(Graph, DrawsALine) { EXPECT_EQ(drawn({{"b", {"a"}, "b"}, {"a", {}, "a"}}), "* b\n* a"); }

TEST(Graph, DrawsTwoChildrenOfOneParent) {
  EXPECT_EQ(drawn({{"c", {"a"}, "c"}, {"b", {"a"}, "b"}, {"a", {}, "a"}}), "* c\n| * b\n|/\n* a");
}

TEST(Graph, DrawsACrossover) {
  EXPECT_EQ(drawn({{"d", {"b", "c"}, "d"}, {"c", {"a"}, "c"}, {"b", {"a"}, "b"}, {"a", {}, "a"}}),
            "* d\n|\\\n| * c\n* | b\n|/\n* a");
}

TEST(Graph, JoinsEveryChildOfOneParent) {
  EXPECT_EQ(drawn({{"e", {"a"}, "e"},
                   {"d", {"a"}, "d"},
                   {"c", {"a"}, "c"},
                   {"b", {"a"}, "b"},
                   {"a", {}, "a"}}),
            "* e\n| * d\n|/\n| * c\n|/\n| * b\n|/\n* a");
}

TEST(Graph, LeadsALanePastThoseBetween) {
  // Nodes of three lines: the rightmost one passes under the middle one to the base.
  EXPECT_EQ(drawn({{"e", {"a"}, "e"},
                   {"d", {"c"}, "d"},
                   {"x", {"a"}, "x"},
                   {"c", {"a"}, "c"},
                   {"a", {}, "a"}}),
            "* e\n| * d\n| | * x\n| |/\n|/|\n| * c\n|/\n* a");
}

/// Walks down from a node as the eye does, and gives the line where it meets the next node.
std::size_t next_node_below(const std::vector<std::string>& lines, std::size_t line) {
  const auto at = [&](std::size_t row, std::size_t column) {
    return column < lines[row].size() ? lines[row][column] : ' ';
  };
  std::size_t column = lines[line].find('*');
  bool moving = false;  // on a stroke to the left, which may go on under other lanes
  for (++line; line < lines.size(); ++line) {
    if (column > 0 && at(line, column - 1) == '/' && (moving || at(line, column) != '|')) {
      column -= 2;
      moving = true;
      continue;
    }
    moving = false;
    if (at(line, column) == '*') return line;
    if (at(line, column) != '|') break;
  }
  return 0;
}

RC_GTEST_PROP(Graph, LeadsEveryNodeToItsParent, ()) {
  const std::size_t count = *rc::gen::inRange<std::size_t>(1, 24);
  std::vector<GraphNode> nodes;  // the newest first; the last one is the root
  for (std::size_t i = 0; i < count; ++i) {
    const auto parent = *rc::gen::inRange<std::size_t>(i + 1, count + 1);
    nodes.push_back({std::to_string(i), {std::to_string(parent)}, "n" + std::to_string(i)});
  }
  nodes.push_back({std::to_string(count), {}, "n" + std::to_string(count)});
  const auto lines = draw_graph(nodes);
  const auto line_of = [&](const std::string& id) {
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.ends_with(" n" + id);
    });
    return static_cast<std::size_t>(found - lines.begin());
  };
  for (const GraphNode& node : nodes) {
    if (node.parents.empty()) continue;
    RC_ASSERT(next_node_below(lines, line_of(node.id)) == line_of(node.parents[0]));
  }
}

}  // namespace
}  // namespace instar::cli
