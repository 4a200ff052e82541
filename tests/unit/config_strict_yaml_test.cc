#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/config/strict_yaml.h"
#include "tests/support/config_mistake.h"

namespace instar::engine {
namespace {

using testing::HasSubstr;

Result<YamlNode> parse(std::string_view text) { return parse_strict_yaml(text, "f.yaml"); }

TEST(ConfigStrictYaml, KeepsOrderPlacesAndQuotes) {
  const auto root = parse("a: 1\nlist: [x, 'y']\nmap:\n  inner: \"2\"\n  none:\n");
  ASSERT_TRUE(root) << root.error().message;
  ASSERT_EQ(root->kind, YamlNode::Kind::kMap);
  ASSERT_EQ(root->keys.size(), 3U);
  EXPECT_EQ(root->keys[0].name, "a");
  EXPECT_FALSE(root->items[0].quoted);
  EXPECT_EQ(root->items[1].items[1].text, "y");
  EXPECT_TRUE(root->items[1].items[1].quoted);
  const YamlNode& map = root->items[2];
  EXPECT_EQ(map.keys[0].at.line, 4U);
  EXPECT_EQ(map.keys[0].at.column, 3U);
  EXPECT_EQ(map.items[0].at.column, 10U);
  EXPECT_EQ(map.items[1].kind, YamlNode::Kind::kNull);
  EXPECT_EQ(map.items[1].at.line, 5U) << "nothing stands where its key does";
}

TEST(ConfigStrictYaml, EmptyTextIsNothing) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n"}) {
    const auto root = parse(text);
    ASSERT_TRUE(root) << text;
    EXPECT_EQ(root->kind, YamlNode::Kind::kNull);
  }
}

TEST(ConfigStrictYaml, WindowsLineEndsAreLineEnds) {
  const auto root = parse("a: 1\r\nb: 2\r\n");
  ASSERT_TRUE(root) << root.error().message;
  EXPECT_EQ(root->items[0].text, "1");
  EXPECT_EQ(root->keys[1].at.line, 2U);
}

class ConfigYamlMistake : public testing::TestWithParam<ConfigMistake> {};

TEST_P(ConfigYamlMistake, IsRefusedAtItsPlaceWithTheFix) {
  expect_refused(parse(GetParam().body), "f.yaml", GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Each, ConfigYamlMistake,
    testing::Values(ConfigMistake{"a: 1\nb: 2\na: 3\n", "3:1",
                                  "duplicate key `a`, it was already given in "
                                  "line 1",
                                  "keep one"},
                    ConfigMistake{"a: {b: 1, \"b\": 2}\n", "1:11", "duplicate key `b`", "keep one"},
                    ConfigMistake{"a: &x 1\n", "1:4", "anchors", "write the value out"},
                    ConfigMistake{"a: &x {b: 1}\n", "1:4", "anchors", "write the value out"},
                    ConfigMistake{"a: &x [1]\nb: *x\n", "1:4", "anchors", "write the value out"},
                    ConfigMistake{"a: &x\n", "1:4", "anchors", "write the value out"},
                    ConfigMistake{"<<: {a: 1}\n", "1:1", "merge keys", "write the keys out"},
                    ConfigMistake{"a: !!str 1\n", "1:4", "tag", "remove the tag"},
                    ConfigMistake{"a: !local {b: 1}\n", "1:4", "tag", "remove the tag"},
                    ConfigMistake{"a: 1\n---\nb: 2\n", "2:1", "second document", "`---`"},
                    ConfigMistake{"? [a]\n: 1\n", "1:3", "a key must be a word", "name: value"},
                    ConfigMistake{"? {a: 1}\n: 1\n", "1:3", "a key must be a word", "name: value"},
                    ConfigMistake{"a:\n  ~: 1\n", "2:3", "a key must be a word", "name: value"},
                    ConfigMistake{"a: [1, 2\nb: 3\n", "2:2", "not valid YAML", "brackets"},
                    ConfigMistake{"a: 1\n  b: 2\n", "2:4", "not valid YAML", "indentation"},
                    ConfigMistake{"a: \"open", "2:1", "not valid YAML", "quotes"},
                    ConfigMistake{"a: 'open\n", "2:1", "not valid YAML", "quotes"},
                    ConfigMistake{"a: b\xFF\n", "1:5", "\\xff", "plain UTF-8"},
                    ConfigMistake{"ä: x\u202Ey\n", "1:5", "\\u{202e}", "remove it"},
                    ConfigMistake{"a: 1\n# \x1b[2J\n", "2:3", "\\x1b", "remove it"},
                    ConfigMistake{"\uFEFFa: 1\n", "1:1", "\\u{feff}", "remove it"},
                    ConfigMistake{"a: [[[[[[[[[[[[1]]]]]]]]]]]]\n", "1:15", "levels of nesting",
                                  "bracket"}));

TEST(ConfigStrictYaml, NulIsNoEndOfTheFile) {
  const auto root = parse(std::string_view("a: 1\n\0b: 2\n", 11));
  ASSERT_FALSE(root);
  EXPECT_THAT(root.error().message, HasSubstr("f.yaml:2:1: the character \\x00"));
}

TEST(ConfigStrictYaml, SizeAndCountAreBounded) {
  const std::string comment = "#" + std::string(1022, 'x') + "\n";
  std::string large = "a: 1\n";
  while (large.size() + comment.size() <= kMaxConfigBytes) large += comment;
  EXPECT_TRUE(parse(large));
  const auto refused = parse(large + comment);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("larger than 1 MiB"));

  std::string many = "a: [";
  for (int i = 0; i < 9'000; ++i) many += "1,";
  EXPECT_TRUE(parse(many + "1]\n"));
  for (int i = 0; i < 2'000; ++i) many += "1,";
  const auto too_many = parse(many + "1]\n");
  ASSERT_FALSE(too_many);
  EXPECT_THAT(too_many.error().message, HasSubstr("values"));
}

TEST(ConfigStrictYaml, DeepNestingOfAnyKindEndsBeforeTheStack) {
  for (const char* unit : {"[", "{a: ", "- ", "? ", "[{", "a: [", "!", "&a ", "!!x "}) {
    std::string text;
    while (text.size() < 200'000) text += unit;
    EXPECT_FALSE(parse(text)) << unit;
  }
}

/// A plain function: the property macros evaluate both sides of an `||`.
bool is_tree_or_placed_error(const Result<YamlNode>& root) {
  return root || root.error().message.rfind("f.yaml:", 0) == 0;
}

RC_GTEST_PROP(ConfigStrictYaml, AnyBytesGiveATreeOrOnePlacedError, (const std::string& text)) {
  RC_ASSERT(is_tree_or_placed_error(parse(text)));
}

RC_GTEST_PROP(ConfigStrictYaml, AnyTokensGiveATreeOrOnePlacedError, ()) {
  const auto tokens =
      *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
          "a", ":",  " ", "\n", "- ", "[",  "]",   "{",   "}", ",", "&x", "*x", "!t",
          "'", "\"", "|", ">",  "?",  "<<", "---", "...", "%", "#", "\t", "~"}));
  std::string text;
  for (const auto& token : tokens) text += token;
  RC_ASSERT(is_tree_or_placed_error(parse(text)));
}

}  // namespace
}  // namespace instar::engine
