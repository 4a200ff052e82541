#include "cli/graph.h"

#include <algorithm>

namespace instar::cli {

namespace {

/// Lanes from left to right; each waits for the node with its id, two never for the same one. Lane
/// i stands at character 2i; a line that joins or moves lanes has its strokes between them.
class Lanes {
 public:
  explicit Lanes(std::vector<std::string>& out) : out_(out) {}

  void draw(const GraphNode& node) {
    const auto found = std::find(waiting_.begin(), waiting_.end(), node.id);
    const auto lane = static_cast<std::size_t>(found - waiting_.begin());
    if (found == waiting_.end()) waiting_.push_back(node.id);
    std::string line = bars();
    line[2 * lane] = '*';
    out_.push_back(line + " " + node.label);
    follow(lane, node.parents);
  }

 private:
  /// The lane of a drawn node waits for its first parent; further parents get lanes beside it.
  void follow(std::size_t lane, const std::vector<std::string>& parents) {
    if (parents.empty()) return close(lane);
    waiting_[lane] = parents[0];
    for (std::size_t i = 1; i < parents.size(); ++i) open_right_of(lane, parents[i]);
    for (std::size_t i = 0; i < parents.size(); ++i) join(parents[i]);
  }

  void open_right_of(std::size_t lane, const std::string& id) {
    std::string line(2 * waiting_.size() + 1, ' ');
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (i <= lane) line[2 * i] = '|';
      if (i >= lane) line[2 * i + 1] = '\\';
    }
    add(std::move(line));
    waiting_.insert(waiting_.begin() + static_cast<long>(lane) + 1, id);
  }

  /// Lanes that wait for the same node run into the leftmost of them, passing under those between.
  void join(const std::string& id) {
    const auto first = static_cast<std::size_t>(std::find(waiting_.begin(), waiting_.end(), id) -
                                                waiting_.begin());
    for (std::size_t lane = waiting_.size(); lane-- > first + 1;) {
      if (waiting_[lane] != id) continue;
      std::string line = take_out(lane);
      line[2 * lane - 1] = '/';
      add(std::move(line));
      for (std::size_t at = lane - 1; at > first; --at) {
        line = bars();
        line[2 * at - 1] = '/';
        add(std::move(line));
      }
    }
  }

  /// Ends a lane: what stands right of it moves up.
  void close(std::size_t lane) {
    const bool last = lane + 1 == waiting_.size();
    std::string line = take_out(lane);
    if (!last) add(std::move(line));
  }

  /// Takes a lane out, and gives the line on which those right of it move left.
  std::string take_out(std::size_t lane) {
    std::string line(2 * waiting_.size(), ' ');
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (i < lane) line[2 * i] = '|';
      if (i > lane) line[2 * i - 1] = '/';
    }
    waiting_.erase(waiting_.begin() + static_cast<long>(lane));
    return line;
  }

  [[nodiscard]] std::string bars() const {
    std::string line(waiting_.empty() ? 0 : 2 * waiting_.size() - 1, ' ');
    for (std::size_t i = 0; i < waiting_.size(); ++i) line[2 * i] = '|';
    return line;
  }

  void add(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out_.push_back(std::move(line));
  }

  std::vector<std::string> waiting_;
  std::vector<std::string>& out_;
};

}  // namespace

std::vector<std::string> draw_graph(const std::vector<GraphNode>& nodes) {
  std::vector<std::string> out;
  Lanes lanes(out);
  for (const GraphNode& node : nodes) lanes.draw(node);
  return out;
}

}  // namespace instar::cli
