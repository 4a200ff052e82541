#include "engine/config/strict_yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>

#include "base/text.h"

namespace instar::engine {

namespace {

/// A real file nests five deep; the parser recurses, so the bound also guards our stack.
constexpr std::size_t kMaxDepth = 12;
/// Values in one file, keys not counted; lookups are linear, so this also bounds the time.
constexpr std::size_t kMaxNodes = 10'000;

/// Leaves the parser's callbacks; caught in parse_strict_yaml and nowhere else.
struct Refused {
  Position at;
  std::string message;
  std::string hint;
};

Position position(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {static_cast<unsigned>(mark.line) + 1, static_cast<unsigned>(mark.column) + 1};
}

/// Builds our tree from the parser's events: they still show what the library's own tree hides
/// (duplicate keys, anchors, tags).
class TreeBuilder final : public YAML::EventHandler {
 public:
  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      throw Refused{position(mark), "a second document starts here, one file holds one",
                    "remove the `---` line and what follows it"};
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add({.kind = YamlNode::Kind::kNull, .at = position(mark)});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{position(mark), "aliases (`*name`) are not accepted",
                  "write the value out where it is needed"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    add({.kind = YamlNode::Kind::kScalar,
         .at = position(mark),
         .text = value,
         .quoted = tag == "!"});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A collection that is still open, with the key its next value belongs to.
  struct Frame {
    YamlNode node;
    bool has_key = false;
    YamlKey key{};
  };

  static void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor == 0) return;
    throw Refused{position(mark), "anchors (`&name`) are not accepted",
                  "remove the anchor and write the value out where it is needed"};
  }
  static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw Refused{position(mark), "the tag `" + escape_for_terminal(tag) + "` is not accepted",
                  "remove the tag: each key already has one type"};
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (awaits_key()) throw not_a_key(position(mark));
    if (frames_.size() >= kMaxDepth) {
      throw Refused{position(mark), "more than " + std::to_string(kMaxDepth) + " levels of nesting",
                    "no key needs that many; look for a stray bracket or indentation"};
    }
    frames_.push_back({.node = {.kind = kind, .at = position(mark)}});
  }

  void close() {
    YamlNode node = std::move(frames_.back().node);
    frames_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    if (awaits_key()) {
      take_key(node);
      return;
    }
    if (++nodes_ > kMaxNodes) {
      throw Refused{node.at, "more than " + std::to_string(kMaxNodes) + " values",
                    "use patterns such as `src/**` instead of long lists"};
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == YamlNode::Kind::kMap) {
      // An absent value has no place of its own: it is shown at its key.
      if (node.kind == YamlNode::Kind::kNull) node.at = frame.key.at;
      frame.node.keys.push_back(std::move(frame.key));
      frame.has_key = false;
    }
    frame.node.items.push_back(std::move(node));
  }

  [[nodiscard]] bool awaits_key() const {
    return !frames_.empty() && frames_.back().node.kind == YamlNode::Kind::kMap &&
           !frames_.back().has_key;
  }
  static Refused not_a_key(Position at) {
    return {at, "a key must be a word", "write keys as `name: value`"};
  }

  void take_key(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::kScalar) throw not_a_key(node.at);
    if (node.text == "<<") {
      throw Refused{node.at, "merge keys (`<<`) are not accepted",
                    "write the keys out where they are needed"};
    }
    Frame& frame = frames_.back();
    for (const YamlKey& key : frame.node.keys) {
      if (key.name != node.text) continue;
      throw Refused{node.at,
                    "duplicate key `" + escape_for_terminal(node.text) +
                        "`, it was already given in line " + std::to_string(key.at.line),
                    "keep one of the two"};
    }
    frame.has_key = true;
    frame.key = {node.text, node.at};
  }

  YamlNode root_;
  std::vector<Frame> frames_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

/// Invisible and display-changing characters would let a file say one thing to a reviewer and
/// another to this parser; invalid UTF-8 is replaced silently by the library.
Result<void> check_characters(std::string_view text, const std::string& name) {
  Position at{.line = 0, .column = 1};
  for (std::string_view line : split(text, '\n')) {
    ++at.line;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string shown = escape_for_terminal(line, true);
    if (shown == line) continue;
    const auto bad = static_cast<std::size_t>(
        std::mismatch(line.begin(), line.end(), shown.begin(), shown.end()).first - line.begin());
    const auto starts_character = [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    };
    at.column += static_cast<unsigned>(
        std::count_if(line.begin(), line.begin() + static_cast<long>(bad), starts_character));
    const std::size_t end = shown[bad + 1] == 'x' ? bad + 4 : shown.find('}', bad) + 1;
    return fail(ErrorCode::kInvalidInput,
                place(name, at) + ": the character " + shown.substr(bad, end - bad) +
                    " is invisible, changes how text is shown, or is no UTF-8",
                "remove it; a configuration file is plain UTF-8 text");
  }
  return {};
}

}  // namespace

std::string place(const std::string& name, Position at) {
  return name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

Result<YamlNode> parse_strict_yaml(std::string_view text, const std::string& name) {
  if (text.size() > kMaxConfigBytes) {
    return fail(
        ErrorCode::kInvalidInput,
        name + ":1:1: the file is larger than " + std::to_string(kMaxConfigBytes >> 20) + " MiB",
        "a configuration file has a few kilobytes: is this the right file?");
  }
  INSTAR_CHECK(check_characters(text, name));
  try {
    // The library takes a quoted text that never ends as a value; it refuses one that runs into the
    // mark for the end of a document.
    const std::string_view line_end = text.empty() || text.ends_with('\n') ? "" : "\n";
    std::istringstream stream(std::string(text) + std::string(line_end) + "...\n");
    YAML::Parser parser(stream);
    TreeBuilder builder;
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (const Refused& refused) {
    return fail(ErrorCode::kInvalidInput, place(name, refused.at) + ": " + refused.message,
                refused.hint);
  } catch (const YAML::Exception& error) {
    return fail(ErrorCode::kInvalidInput,
                place(name, position(error.mark)) + ": not valid YAML: " + error.msg,
                "check the indentation, the brackets and the quotes around this place");
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInvalidInput, name + ":1:1: not valid YAML: " + error.what());
  }
}

}  // namespace instar::engine
