#include <gtest/gtest.h>

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

}  // namespace
}  // namespace instar::cli
